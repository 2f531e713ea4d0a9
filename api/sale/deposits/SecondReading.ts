import type { Hash } from 'viem'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { AnswerTooLarge } from '#api/platform/chain/createJsonRpc.ts'
import { readBlock, readTransfers, type Transfer } from '#api/platform/chain/readTransfers.ts'
import { votesNeeded } from '#api/platform/chain/readAgreed.ts'
import { hostOf, isRpcRefusal } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import { orphanVanished } from './orphanVanished.ts'
import { ReadingPlan } from './ReadingPlan.ts'
import { takeInTransfers } from './takeInTransfers.ts'
import { verifyTransactions } from './verifyTransactions.ts'
import type { Watch } from './Watch.ts'

/** Final blocks that may wait for their second reading before somebody is told. */
const VERIFY_LAG = 2_000n

/** Reads final blocks a second time, from another endpoint where there is one: what the first one left out is found (money.md 2). */
export class SecondReading {
  readonly #watch: Watch
  readonly #plan: ReadingPlan

  constructor(watch: Watch, maxRange?: bigint) {
    this.#watch = watch
    this.#plan = new ReadingPlan(maxRange)
  }

  /** Reads the next range that has become final. */
  async run(): Promise<void> {
    const watch = this.#watch
    const finalNumber = await watch.readFinal()
    if (finalNumber === undefined) return
    const { verifiedNumber } = await watch.read
      .selectFrom('chain_progress')
      .select('verifiedNumber')
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .executeTakeFirstOrThrow()
    const from = verifiedNumber + 1n
    if (from > finalNumber) return
    const to = from + this.#plan.size - 1n < finalNumber ? from + this.#plan.size - 1n : finalNumber
    const isLate = finalNumber - from > VERIFY_LAG
    if (isLate) watch.alertOnce('verify', `Final blocks from ${from} on could not be read from two endpoints for long.`)
    const told = await this.#readAgain(from, to, { fromTwo: !isLate })
    if (!told) return
    const { alike, disputed } = compare(told)
    const isSettled = await orphanVanished(watch, { from, to, standing: new Set(alike.map(({ blockHash }) => blockHash)) })
    if (!isSettled) return
    const { verified, added } = await verifyTransactions(watch, { hashes: [...disputed.keys()], finalNumber })
    for (const hash of verified) disputed.delete(hash)
    const missing = await watch.write(async (em) => {
      // One that cannot be verified now is stored all the same: it waits as seen, and is looked at again with all others that are due.
      const stored = await takeInTransfers(em, watch, [...alike, ...[...disputed.values()].flat()])
      await query(em).updateTable('chain_progress').set({ verifiedNumber: to }).where('chainId', '=', PAYMENT_CHAIN_ID).execute()
      return added + stored
    })
    if (missing > 0)
      watch.alert(`${missing} deposits in blocks ${from} to ${to} were missing from the first reading. They are stored now.`)
  }

  /**
   * Asks two endpoints, the one in use and another, for which of them the first reading has believed nobody knows any more. One that is
   * away or lags behind is waited for; after long, what a single one tells is better than not at all: it credits nothing by itself.
   */
  async #readAgain(from: bigint, to: bigint, { fromTwo }: { fromTwo: boolean }): Promise<Transfer[][] | undefined> {
    const watch = this.#watch
    const filter = await watch.readFilter()
    const ownBlock = await readBlock(watch.endpoint, to)
    const wanted = votesNeeded(watch.endpoints)
    const told = new Map<string, Transfer[]>()
    for (let i = 1; i <= watch.endpointCount && told.size < wanted; i += 1) {
      const endpoint = watch.endpointAt(i)
      if (told.has(hostOf(endpoint.url))) continue
      try {
        const block = await readBlock(endpoint, to)
        if (!block || block.hash !== ownBlock?.hash) continue
        told.set(hostOf(endpoint.url), await readTransfers(endpoint, { ...filter, from, to }))
      } catch (error) {
        if (isRpcRefusal(error) || error instanceof AnswerTooLarge) this.#plan.halve()
      }
    }
    if (told.size < (fromTwo ? wanted : 1)) return undefined
    const answers = [...told.values()]
    this.#plan.adapt(answers[0]!.length)
    return answers
  }
}

interface Comparison {
  /** Transfers of the transactions that all tell alike. */
  alike: Transfer[]
  /** Of each other transaction, what the endpoint tells that tells most: more transfers, or more money. */
  disputed: Map<Hash, Transfer[]>
}

function compare(told: readonly Transfer[][]): Comparison {
  const byEndpoint = told.map((transfers) => Map.groupBy(transfers, ({ transactionHash }) => transactionHash))
  const alike: Transfer[] = []
  const disputed = new Map<Hash, Transfer[]>()
  for (const hash of new Set(byEndpoint.flatMap((transactions) => [...transactions.keys()]))) {
    const [most, ...others] = byEndpoint
      .map((transactions) => transactions.get(hash) ?? [])
      .toSorted((a, b) => b.length - a.length || (sumOf(b) > sumOf(a) ? 1 : -1))
    if (others.every((other) => isAlike(most!, other))) for (const transfer of most!) alike.push(transfer)
    else disputed.set(hash, most!)
  }
  return { alike, disputed }
}

const sumOf = (transfers: readonly Transfer[]): bigint => transfers.reduce((sum, { amount }) => sum + amount, 0n)

const isAlike = (one: readonly Transfer[], other: readonly Transfer[]): boolean =>
  one.length === other.length &&
  one.every((transfer, index) =>
    (['sender', 'recipient', 'amount', 'logIndex', 'blockHash'] as const).every((key) => transfer[key] === other[index]![key]),
  )
