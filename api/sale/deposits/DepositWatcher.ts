import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { listPurchases } from '#shared/contract/purchases.ts'
import { MINUTE } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { readFromEachHost } from '#api/platform/chain/readAgreed.ts'
import { AnswerTooLarge } from '#api/platform/chain/rpcErrors.ts'
import { readAgreedBlock } from '#api/platform/chain/readAgreedBlock.ts'
import { type Block, ChainMoved, readBlock, type TransferFilter } from '#api/platform/chain/readTransfers.ts'
import { hostOf, isRpcRefusal } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import { orphanVanished } from './orphanVanished.ts'
import { type ChainUpdate, type Cursor, readNext } from './readNext.ts'
import { AdaptiveRange } from './AdaptiveRange.ts'
import { SecondReading } from './SecondReading.ts'
import { SettlingPass } from './SettlingPass.ts'
import { rollBackBlocks } from './rollBackBlocks.ts'
import { storeTransfers } from './storeTransfers.ts'
import { Watch, type WatchOptions } from './Watch.ts'

/** If the last block is older than this, reading has stopped. */
const MAX_BLOCK_AGE = 10 * MINUTE

/** Number of ranges until payments are settled though the head is not reached: blocks may come faster than they are read. */
const MAX_RANGES = 200

/** Number of blocks that the last one read may be after the heads of all endpoints, which may lag. */
const MAX_LEAD = 1_000n

/** Number of blocks kept to find a common ancestor. After a deeper reorganization the chain is read again from the start block. */
const KEEP_BLOCKS = 20_000n

/**
 * Reads the payment chain as its only leader: stores the payments to us, rolls back reorganized blocks, and settles final deposits. Between
 * two pages of deposits to settle it reads on, so that a large number of transfers does not delay later payments.
 *
 * The transfers and the cursor are written in one transaction, so a crash stores neither or both.
 */
export class DepositWatcher {
  readonly #watch: Watch
  readonly #range: AdaptiveRange
  readonly #secondReading: SecondReading
  readonly #startedAt = new Date()
  #storedHead: bigint | undefined
  #hasBegun = false
  /** The last reading ended before it reached the head. */
  #isCatchingUp = false

  constructor({ maxRange, ...options }: WatchOptions & { maxRange?: bigint }) {
    this.#watch = new Watch(options)
    this.#range = new AdaptiveRange(maxRange)
    this.#secondReading = new SecondReading(this.#watch, maxRange)
  }

  /** Reads up to the head if it can be reached, settles final deposits, and reads final blocks a second time. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    try {
      if (!this.#hasBegun) await this.#begin()
      const pass = new SettlingPass(this.#watch)
      const readAndSettle = async () => {
        while (!signal?.aborted) {
          await this.#readToHead(signal)
          if (!(await pass.settlePage())) return
        }
      }
      await readAndSettle()
      const failures: unknown[] = []
      const readOn = async () => {
        // An endpoint that makes a reading fail must not keep the payments of a block from being verified.
        await readAndSettle().catch((error: unknown) => void failures.push(error))
        // Another process can lead only once this one has ended.
        signal?.throwIfAborted()
      }
      await this.#secondReading.run(readOn).catch((error: unknown) => {
        if (!signal?.aborted) throw error
      })
      if (failures.length > 0) throw failures[0]
    } finally {
      // Also needed when reading fails.
      await this.#warnIfBehind()
    }
  }

  async #begin(): Promise<void> {
    await this.#secondReading.begin()
    // Notes that payments are credited in this database, before a dump of it could be restored.
    await this.#watch.maySettle()
    this.#hasBegun = true
  }

  async #readToHead(signal?: AbortSignal): Promise<void> {
    try {
      await this.#readRanges(signal)
    } catch (error) {
      // Its answers may be the reason, also if it is the database that refuses them.
      this.#watch.switchEndpoint()
      throw error
    }
  }

  async #readRanges(signal?: AbortSignal): Promise<void> {
    const filter = await this.#watch.readFilter()
    let cursor: Cursor = await this.#watch.readCursor()
    this.#isCatchingUp = false
    let next = this.#readWithRetries(cursor, filter)
    for (let ranges = 1; !signal?.aborted; ranges += 1) {
      const update = await next
      if (update.kind === 'nothing') {
        await this.#raiseHead(update.head)
        if (!(await this.#preferHigherHead(update.head)) && (await this.#isFarAhead(cursor, update.head)))
          await this.#rollBack(cursor)
        return
      }
      if (update.kind === 'reorganized') {
        const ancestor = await this.#rollBack(cursor)
        // The endpoint contradicts itself.
        if (ancestor.number === cursor.number) return this.#watch.switchEndpoint()
        cursor = ancestor
        next = this.#readWithRetries(cursor, filter)
        continue
      }
      const { last } = update
      const done = last.number >= update.head || ranges >= MAX_RANGES
      // Prefetches the next range while this one is written.
      const ahead = done ? undefined : this.#readWithRetries({ number: last.number, hash: last.hash }, filter)
      ahead?.catch(() => {})
      await this.#storeRange(update)
      if (!ahead) {
        this.#isCatchingUp = last.number < update.head
        return
      }
      next = ahead
    }
  }

  /** Reads a range, with smaller sizes and other endpoints as needed. @throws if no endpoint returns even one block. */
  async #readWithRetries(cursor: Cursor, filter: TransferFilter): Promise<ChainUpdate> {
    let failures = 0
    for (;;) {
      try {
        const update = await readNext(this.#watch.endpoint, { cursor, size: this.#range.size, filter })
        if (update.kind === 'blocks') this.#range.adapt(update.transfers.length)
        return update
      } catch (error) {
        // A refused range, an oversized answer and a timeout all call for a smaller range. An endpoint that is down fails at any size.
        const canShrink = this.#range.halve()
        const answered = isRpcRefusal(error) || error instanceof AnswerTooLarge || error instanceof ChainMoved
        if (!answered || !canShrink) failures += 1
        // Another endpoint may show the logs of more than a block. Reading one receipt by receipt can take longer than a new one takes.
        if (!answered || this.#range.size === 1n) this.#watch.switchEndpoint()
        if (failures > this.#watch.endpointCount * 2)
          throw new Error(`${hostOf(this.#watch.endpoint.url)} cannot be read.`, { cause: error })
      }
    }
  }

  async #storeRange({ last, transfers, head }: Extract<ChainUpdate, { kind: 'blocks' }>): Promise<void> {
    await this.#watch.write(async (em) => {
      await storeTransfers(em, this.#watch, transfers, { isFinal: false })
      await this.#moveCursor(em, last)
      // The head is written once for many ranges in a row.
      if (head !== this.#storedHead) await this.#setHead(em, head)
    })
    this.#storedHead = head
  }

  async #moveCursor(em: EntityManager, last: Block): Promise<void> {
    const { number, hash, time } = last
    await query(em).insertInto('chain_blocks').values({ chainId: PAYMENT_CHAIN_ID, number, hash, time }).execute()
    await query(em)
      .deleteFrom('chain_blocks')
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .where('number', '<', number - KEEP_BLOCKS)
      .execute()
  }

  async #raiseHead(head: bigint): Promise<void> {
    const progress = await this.#watch.read
      .selectFrom('chain_progress')
      .select('headNumber')
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .executeTakeFirst()
    if ((progress?.headNumber ?? 0n) >= head) return
    await this.#watch.write((em) => this.#setHead(em, head))
  }

  /** Stores the head and updates the pages that show confirmations. */
  async #setHead(em: EntityManager, head: bigint): Promise<void> {
    await query(em)
      .updateTable('chain_progress')
      .set({ headNumber: head, updatedAt: sql<Date>`now()` })
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .execute()
    await query(em)
      .insertInto('change_events')
      .columns(['user', 'keys'])
      .expression((eb) =>
        eb
          .selectFrom('deposits')
          .select(['user', sql<string[]>`array[${listPurchases.path}]`.as('keys')])
          .distinct()
          .where('state', '=', 'seen')
          .where('blockNumber', 'is not', null)
          .where('user', 'is not', null),
      )
      .execute()
  }

  /** Switches away from an endpoint whose head lags behind. @returns whether it has. */
  async #preferHigherHead(head: bigint): Promise<boolean> {
    for (let i = 1; i < this.#watch.endpointCount; i += 1) {
      const other = this.#watch.endpointAt(i)
      const latest = await readBlock(other, 'latest').catch(() => null)
      if (latest && latest.number > head + 1n) {
        this.#watch.switchEndpoint(i)
        return true
      }
    }
    return false
  }

  /** Whether the last block that was read is far after the heads of two or more hosts: an endpoint that is gone has invented it. */
  async #isFarAhead(cursor: Cursor, head: bigint): Promise<boolean> {
    const limit = cursor.number - MAX_LEAD
    // Two hosts have called blocks up to there final, and show an older state now.
    if (head >= limit || head < (await this.#watch.readVerifiedNumber())) return false
    const heads = await readFromEachHost(this.#watch.endpoints, (endpoint) => readBlock(endpoint, 'latest'))
    return heads.length > 1 && heads.every((latest) => latest !== null && latest.number < limit)
  }

  /** Finds the last block read that is still on the chain, and rolls back the blocks after it. */
  async #rollBack(cursor: Cursor): Promise<Cursor> {
    const latest = await readBlock(this.#watch.endpoint, 'latest')
    if (!latest) throw new ChainMoved('The endpoint has no head.')
    const blocks = await this.#watch.read
      .selectFrom('chain_blocks')
      .select(['number', 'hash'])
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .orderBy('number', 'desc')
      .execute()
    const verifiedNumber = await this.#watch.readVerifiedNumber()
    let isContradicted = false
    let ancestor: Cursor = { number: this.#watch.services.config.DEPOSIT_START_BLOCK - 1n, hash: null }
    for (const { number, hash } of blocks) {
      const onChain = await readBlock(this.#watch.endpoint, number)
      // A header missing from an endpoint that should have it does not prove that the block is gone.
      if (!onChain && number <= latest.number) throw new ChainMoved(`${hostOf(this.#watch.endpoint.url)} lacks block ${number}.`)
      if (onChain?.hash === hash) {
        ancestor = { number, hash }
        break
      }
      // Two hosts have called this block final: one endpoint alone does not make us read all of them again.
      isContradicted ||= number <= verifiedNumber && (await this.#requireContradiction({ number, hash }))
    }
    if (ancestor.number === cursor.number) return ancestor
    await this.#watch.write((em) => rollBackBlocks(em, ancestor))
    // Blocks that cannot be decided yet are checked again by the second reading, whose position is rolled back as well.
    await orphanVanished(this.#watch, { from: ancestor.number + 1n })
    return ancestor
  }

  /** @throws {ChainMoved} unless two hosts have another block instead of this one. */
  async #requireContradiction({ number, hash }: { number: bigint; hash: Hash }): Promise<true> {
    const { endpoint, endpoints } = this.#watch
    const agreement = await readAgreedBlock(endpoints, number)
    if (agreement.kind === 'agreed' && agreement.answer.hash !== hash) return true
    throw new ChainMoved(`${hostOf(endpoint.url)} alone has another block ${number}.`)
  }

  /** Without new blocks nothing is credited and nothing expires, so the operator must know. */
  async #warnIfBehind(): Promise<void> {
    const time = (await this.#watch.readCursor()).time ?? this.#startedAt
    if (Date.now() - time.getTime() <= MAX_BLOCK_AGE) return
    if (this.#isCatchingUp)
      this.#watch.alertOnce('slow', `Blocks until ${time.toISOString()} are read. Payments after it are found later.`)
    else this.#watch.alertOnce('behind', `No block was read since ${time.toISOString()}.`)
  }
}
