import { sql } from 'kysely'
import type { Hash } from 'viem'
import { HOUR } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { AnswerTooLarge } from '#api/platform/chain/rpcErrors.ts'
import { readAgreedBlock } from '#api/platform/chain/readAgreedBlock.ts'
import { type Block, readBlock, readTransfers, type Transfer } from '#api/platform/chain/readTransfers.ts'
import { readFromFirst, votesNeeded } from '#api/platform/chain/readAgreed.ts'
import { hostOf, isRpcRefusal } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import { findPayments, readPayments, requireReceipts } from './ignoreDust.ts'
import { orphanVanished } from './orphanVanished.ts'
import { AdaptiveRange, INITIAL_SIZE } from './AdaptiveRange.ts'
import { type DueBlock, finishReread, postponeReread, readDueBlocks } from './rereads.ts'
import { PAGE_SIZE } from './SettlingPass.ts'
import { storeTransfers } from './storeTransfers.ts'
import { type Verification, verifyTransactions } from './verifyTransactions.ts'
import type { Watch } from './Watch.ts'

/** Maximum number of final blocks without a second reading before the operator is alerted. */
const MAX_VERIFICATION_LAG = 2_000n

/** With more of them it may be catching up after an outage, for so long until the operator is alerted. */
const MAX_CATCH_UP_TIME = HOUR

/** How transactions are verified; `readOn` reads and settles what is new on the chain, and throws only if the process is to stop. */
interface Verifying {
  finalNumber: bigint
  readOn: () => Promise<void>
}

/** Blocks that are read again. `missing` counts their deposits that no reading had found before. */
interface Found {
  from: bigint
  to: bigint
  missing: number
}

/** Reads final blocks a second time, from another endpoint if there is one, to find logs missing from the first reading (money.md 2). */
export class SecondReading {
  readonly #watch: Watch
  readonly #range: AdaptiveRange

  constructor(watch: Watch, maxRange?: bigint) {
    this.#watch = watch
    this.#range = new AdaptiveRange(maxRange)
  }

  /**
   * Sets the position to the configured start block if no block is read yet: the configuration may have been corrected since the database
   * was prepared. Does the same if the position is after the last block read: it comes from a start block that was too high, and nothing
   * would be read a second time.
   */
  async begin(): Promise<void> {
    const { number, hash } = await this.#watch.readCursor()
    const before = this.#watch.services.config.DEPOSIT_START_BLOCK - 1n
    await this.#watch.write((em) =>
      query(em)
        .updateTable('chain_progress')
        .set({ verifiedNumber: before })
        .where('chainId', '=', PAYMENT_CHAIN_ID)
        .where('verifiedNumber', hash === null ? '<>' : '>', number)
        .execute(),
    )
  }

  /** Reads the next range that has become final, and the blocks that are to be read once more. */
  async run(readOn: Verifying['readOn']): Promise<void> {
    const finalNumber = await this.#watch.readFinal()
    if (finalNumber === undefined) return
    const verifying = { finalNumber, readOn }
    await this.#readNextRange(verifying)
    const due = await readDueBlocks(this.#watch.services.orm.em.fork(), { finalNumber })
    for (const [index, block] of due.entries()) {
      // Each may have a page of payments to verify.
      if (index > 0) await readOn()
      let isRead = false
      try {
        isRead = await this.#readBlock(block, verifying)
      } finally {
        // It must not keep the others waiting, which follow in the next rounds: an endpoint that hangs holds up each round once only.
        if (!isRead) await this.#postpone(block, finalNumber)
      }
      if (!isRead) return
    }
  }

  async #postpone(block: DueBlock, finalNumber: bigint): Promise<void> {
    await this.#watch.write((em) => postponeReread(em, block))
    if (finalNumber - block.number > MAX_VERIFICATION_LAG)
      this.#watch.alertOnce(
        'reread',
        `Block ${block.number} could not be read again from enough endpoints of the payment chain. Payments in it may wait until it can.`,
      )
  }

  async #readNextRange(verifying: Verifying): Promise<void> {
    const { finalNumber } = verifying
    const watch = this.#watch
    const { from, isLate, isLateForLong } = await this.#readPosition(finalNumber)
    if (from > finalNumber) return
    const to = from + this.#range.size - 1n < finalNumber ? from + this.#range.size - 1n : finalNumber
    const { answers, last, isRefused, isSilent } = await this.#readAgain(from, to)
    const wanted = votesNeeded(watch.endpoints)
    if (isLate && answers.length < wanted)
      watch.alertOnce('verify', `Final blocks from ${from} on could not be read from two endpoints for long.`)
    else if (isLateForLong)
      watch.alertOnce(
        'late',
        `The second reading has been far behind for an hour, at block ${from}, though endpoints answer. Payments that the first reading lacks are found late.`,
      )
    // All may take too long for so many blocks. While one answers, another that is silent for any number of them must not hold it up.
    const enough = isRefused || answers.length === 0 ? 1n : isSilent ? INITIAL_SIZE : this.#range.size
    // Where another host may show a smaller range, a single answer is not accepted: it may come from the endpoint of the first reading.
    const mayShowSmaller = answers.length < wanted && this.#range.halve(enough) && this.#range.size > 1n
    // After a long time a single answer is accepted, because it credits nothing by itself.
    if (answers.length < (isLate && !mayShowSmaller ? 1 : wanted)) return
    this.#range.adapt(answers[0]!.length)
    const { agreed, disputed, shown } = compare(answers)
    const isSettled = await orphanVanished(watch, { from, to, canonical: new Set(agreed.map(({ blockHash }) => blockHash)) })
    const isAgreed = answers.length >= wanted
    await this.#tell({ from, to, missing: 0 }, async (found) => {
      // First, because those that one endpoint invents may take long, and it may then have the range read again.
      if (agreed.length > 0) found.missing += await watch.write((em) => storeTransfers(em, watch, agreed, { isFinal: isAgreed }))
      // The receipts of small transfers are read when they are settled, a page of them at a time.
      const hashes = await findPayments(watch.services.orm.em.fork(), shown)
      const { verified } = await this.#verify(hashes, { ...verifying, isReread: false, found })
      // Not before: one endpoint can contradict the others about a block for any time.
      if (!isSettled) return
      const wasReadOn = hashes.length > PAGE_SIZE
      // Blocks of the range that a reorganization has replaced meanwhile are read a second time later.
      if (wasReadOn && (await this.#readLast(to))?.hash !== last!.hash) return
      if (!wasReadOn) for (const hash of verified) disputed.delete(hash)
      found.missing += await watch.write(async (em) => {
        // Once more: other blocks that one endpoint showed for a moment took them out of theirs.
        const again = wasReadOn ? await storeTransfers(em, watch, agreed, { isFinal: isAgreed }) : 0
        // A transfer that cannot be verified now is stored as seen and verified again with the other due deposits.
        // One endpoint alone postpones no payment: repeated in each newer block, it would never be late.
        const stored = await storeTransfers(em, watch, [...disputed.values()].flat(), { isFinal: false })
        await requireReceipts(em, { from, to, confirmed: isAgreed ? agreed : [] })
        await query(em)
          .updateTable('chain_progress')
          .set({ verifiedNumber: to })
          .where('chainId', '=', PAYMENT_CHAIN_ID)
          // A reorganization found meanwhile has moved the position back, or has taken back blocks of the range that are not read again yet.
          .where('verifiedNumber', '=', from - 1n)
          .where(({ exists, selectFrom }) =>
            exists(selectFrom('chain_blocks').select('number').where('chainId', '=', PAYMENT_CHAIN_ID).where('number', '>=', to)),
          )
          .execute()
        return again + stored
      })
    })
  }

  /**
   * The next block to read, and whether it is far behind. Since when it is, is stored, because terms may be shorter than what is waited for,
   * and by the database's clock, because the leaders' may differ.
   */
  async #readPosition(finalNumber: bigint): Promise<{ from: bigint; isLate: boolean; isLateForLong: boolean }> {
    const { verifiedNumber, lateSince, now } = await this.#watch.read
      .selectFrom('chain_progress')
      .select(['verifiedNumber', 'lateSince', sql<Date>`clock_timestamp()`.as('now')])
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .executeTakeFirstOrThrow()
    const from = verifiedNumber + 1n
    const isLate = finalNumber - from > MAX_VERIFICATION_LAG
    if (isLate !== (lateSince !== null))
      await this.#watch.write((em) =>
        query(em)
          .updateTable('chain_progress')
          .set({ lateSince: isLate ? now : null })
          .where('chainId', '=', PAYMENT_CHAIN_ID)
          .execute(),
      )
    const isLateForLong = isLate && lateSince !== null && now.getTime() - lateSince.getTime() > MAX_CATCH_UP_TIME
    return { from, isLate, isLateForLong }
  }

  /** Tells the operator of the missing payments that `work` finds, also if it fails: they are stored, so the next reading finds none missing. */
  async #tell(found: Found, work: (found: Found) => Promise<void>): Promise<void> {
    try {
      await work(found)
    } finally {
      if (found.missing > 0)
        this.#watch.alert(
          `${found.missing} deposits in blocks ${found.from} to ${found.to} were missing from the first reading. They are stored now.`,
        )
    }
  }

  /**
   * Reads a block once more in which payments have no receipt. Those that still have none, and that two hosts do not show, are taken out
   * of the block, whatever one endpoint shows.
   *
   * @returns whether enough hosts answered.
   */
  async #readBlock(block: DueBlock, verifying: Verifying): Promise<boolean> {
    const watch = this.#watch
    const { number } = block
    const { answers } = await this.#readAgain(number, number)
    if (answers.length < votesNeeded(watch.endpoints)) return false
    const { agreed, disputed, shown } = compare(answers)
    const em = watch.services.orm.em.fork()
    const isShown = new Set(agreed.map(({ transactionHash }) => transactionHash))
    const stored = await readPayments(em, number)
    await this.#tell({ from: number, to: number, missing: 0 }, async (found) => {
      // First, because those that one endpoint invents may take long.
      found.missing += await watch.write((em) => storeTransfers(em, watch, agreed, { isFinal: true }))
      // Taken out for a moment, a payment that two hosts show would not keep its request from expiring.
      const kept = stored.filter((hash) => isShown.has(hash))
      const waiting = await this.#verify(kept, { ...verifying, isReread: false, found })
      if (waiting.absent.length > 0) watch.alertUnverified(waiting.absent)
      const hashes = [...new Set([...(await findPayments(em, shown)), ...stored.filter((hash) => !isShown.has(hash))])]
      const { verified, absent } = await this.#verify(hashes, { ...verifying, isReread: true, found })
      const isDoubtful = absent.some((hash) => disputed.has(hash))
      for (const hash of [...verified, ...absent]) disputed.delete(hash)
      await watch.write(async (em) => {
        // Not counted as missing: one endpoint alone shows a receipt of them, and could invent some each time.
        await storeTransfers(em, watch, [...disputed.values()].flat(), { isFinal: false })
        await requireReceipts(em, { from: number, to: number, confirmed: agreed })
        await finishReread(em, block, { isDoubtful })
      })
    })
    return true
  }

  /** Verifies a page at a time, and reads the chain on between two: an endpoint may invent thousands of payments in a block. */
  async #verify(
    hashes: readonly Hash[],
    { finalNumber, isReread, readOn, found }: Verifying & { isReread: boolean; found: Found },
  ): Promise<Pick<Verification, 'verified' | 'absent'>> {
    const [verified, absent]: [Hash[], Hash[]] = [[], []]
    for (let start = 0; start < hashes.length; start += PAGE_SIZE) {
      if (start > 0) await readOn()
      const page = await verifyTransactions(this.#watch, {
        hashes: hashes.slice(start, start + PAGE_SIZE),
        finalNumber,
        isReread,
      })
      for (const hash of page.verified) verified.push(hash)
      for (const hash of page.absent) absent.push(hash)
      found.missing += page.added
    }
    return { verified, absent }
  }

  /**
   * Reads from two endpoints, the current one and another, because it is not recorded which of them the first reading used. One that is
   * down or lags behind gives no answer. One that shows the last block, but no logs, is refusing or silent: it may answer for fewer blocks.
   */
  async #readAgain(from: bigint, to: bigint): Promise<Answers> {
    const watch = this.#watch
    const filter = await watch.readFilter()
    const last = await this.#readLast(to)
    const wanted = votesNeeded(watch.endpoints)
    const answerByHost = new Map<string, Transfer[]>()
    let isRefused = false
    let isSilent = false
    for (let i = 1; i <= watch.endpointCount && answerByHost.size < wanted; i += 1) {
      const endpoint = watch.endpointAt(i)
      if (answerByHost.has(hostOf(endpoint.url))) continue
      let hasBlock = false
      try {
        const block = await readBlock(endpoint, to)
        if (!block || block.hash !== last?.hash) continue
        hasBlock = true
        answerByHost.set(hostOf(endpoint.url), await readTransfers(endpoint, { ...filter, from, to }))
      } catch (error) {
        isRefused ||= isRpcRefusal(error) || error instanceof AnswerTooLarge
        isSilent ||= hasBlock
      }
    }
    return { answers: [...answerByHost.values()], last, isRefused, isSilent }
  }

  /** The block on which two hosts agree, else as the current endpoint shows it, or the next one that answers. */
  async #readLast(number: bigint): Promise<Block | null> {
    const { endpoints } = this.#watch
    // One endpoint with a block of its own must not keep the others from being heard.
    const agreement = await readAgreedBlock(endpoints, number)
    if (agreement.kind === 'agreed') return agreement.answer
    return readFromFirst(
      endpoints.map((_, i) => this.#watch.endpointAt(i)),
      (endpoint) => readBlock(endpoint, number),
    )
  }
}

interface Answers {
  answers: Transfer[][]
  /** The last block of the range. Every answer is from an endpoint that shows it. */
  last: Block | null
  isRefused: boolean
  isSilent: boolean
}

interface Comparison {
  /** Transfers of the transactions on which all endpoints agree. */
  agreed: Transfer[]
  /** For each other transaction, the answer with the largest transfer, so that none is taken for dust; else with the most of them. */
  disputed: Map<Hash, Transfer[]>
  /** Every transfer that any endpoint shows in one of them. */
  shown: Transfer[]
}

function compare(answers: readonly Transfer[][]): Comparison {
  const byEndpoint = answers.map((transfers) => Map.groupBy(transfers, ({ transactionHash }) => transactionHash))
  const agreed: Transfer[] = []
  const disputed = new Map<Hash, Transfer[]>()
  const shown: Transfer[] = []
  for (const hash of new Set(byEndpoint.flatMap((transactions) => [...transactions.keys()]))) {
    const [most, ...others] = byEndpoint
      .map((transactions) => transactions.get(hash) ?? [])
      .toSorted((a, b) => Number(largestOf(b) - largestOf(a)) || b.length - a.length || (sumOf(b) > sumOf(a) ? 1 : -1))
    if (others.every((other) => isEqual(most!, other))) for (const transfer of most!) agreed.push(transfer)
    else {
      disputed.set(hash, most!)
      for (const transfer of [most!, ...others].flat()) shown.push(transfer)
    }
  }
  return { agreed, disputed, shown }
}

const largestOf = (transfers: readonly Transfer[]): bigint =>
  transfers.reduce((largest, { amount }) => (amount > largest ? amount : largest), -1n)

const sumOf = (transfers: readonly Transfer[]): bigint => transfers.reduce((sum, { amount }) => sum + amount, 0n)

const isEqual = (one: readonly Transfer[], other: readonly Transfer[]): boolean =>
  one.length === other.length &&
  one.every((transfer, index) =>
    (['sender', 'recipient', 'amount', 'logIndex', 'blockHash'] as const).every((key) => transfer[key] === other[index]![key]),
  )
