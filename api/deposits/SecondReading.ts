import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { AnswerTooLarge } from '../chain/createJsonRpc.ts'
import { readBlock, readTransfers, type Transfer } from '../chain/readTransfers.ts'
import { isRpcRefusal } from '../chain/RpcEndpoint.ts'
import { sql } from '../db/sql.ts'
import { ReadingPlan } from './ReadingPlan.ts'
import { takeInTransfers } from './takeInTransfers.ts'
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
    const [progress] = await watch.rows<{ verified_number: string }>(
      'select verified_number from chain_progress where chain_id = $1',
      [PAYMENT_CHAIN_ID],
    )
    const from = BigInt(progress!.verified_number) + 1n
    if (from > finalNumber) return
    const to = from + this.#plan.size - 1n < finalNumber ? from + this.#plan.size - 1n : finalNumber
    const isLate = finalNumber - from > VERIFY_LAG
    if (isLate) watch.alertOnce('verify', `Final blocks from ${from} on could not be read from two endpoints for long.`)
    const transfers = await this.#readAgain(from, to, { fromTwo: !isLate })
    if (!transfers) return
    const missing = await watch.write(async (em) => {
      const added = await takeInTransfers(em, watch, transfers)
      await sql(em, 'update chain_progress set verified_number = $2 where chain_id = $1', [PAYMENT_CHAIN_ID, to])
      return added
    })
    if (missing > 0)
      watch.alert(`${missing} deposits in blocks ${from} to ${to} were missing from the first reading. They are stored now.`)
  }

  /**
   * Asks two endpoints, the one in use and another, for which of them the first reading has believed nobody knows any more: what either
   * tells is stored. One that is away or lags behind is waited for; after long, what a single one tells is better than not at all.
   */
  async #readAgain(from: bigint, to: bigint, { fromTwo }: { fromTwo: boolean }): Promise<Transfer[] | undefined> {
    const watch = this.#watch
    const filter = await watch.readFilter()
    const ownBlock = await readBlock(watch.endpoint, to)
    const wanted = Math.min(2, watch.endpointCount)
    const told: Transfer[][] = []
    for (let i = 1; i <= watch.endpointCount && told.length < wanted; i += 1) {
      try {
        const endpoint = watch.endpointAt(i)
        const block = await readBlock(endpoint, to)
        if (!block || block.hash !== ownBlock?.hash) continue
        told.push(await readTransfers(endpoint, { ...filter, from, to }))
      } catch (error) {
        if (isRpcRefusal(error) || error instanceof AnswerTooLarge) this.#plan.halve()
      }
    }
    if (told.length < (fromTwo ? wanted : 1)) return undefined
    const transfers = unite(told)
    this.#plan.adapt(transfers.length)
    return transfers
  }
}

/** Of each transaction, what the endpoint tells that knows most of it: where one is left out, the others have the wrong ordinals. */
function unite(told: readonly Transfer[][]): Transfer[] {
  const fullest = new Map<string, Transfer[]>()
  for (const transfers of told)
    for (const [hash, ofOne] of Map.groupBy(transfers, ({ transactionHash }) => transactionHash))
      if (ofOne.length > (fullest.get(hash)?.length ?? 0)) fullest.set(hash, ofOne)
  return [...fullest.values()].flat()
}
