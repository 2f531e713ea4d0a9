import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { listPurchases } from '#shared/contract/purchases.ts'
import { MINUTE } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { AnswerTooLarge } from '#api/platform/chain/createJsonRpc.ts'
import { type Block, ChainMoved, readBlock, type TransferFilter } from '#api/platform/chain/readTransfers.ts'
import { hostOf, isRpcRefusal } from '#api/platform/chain/RpcEndpoint.ts'
import { query } from '#api/entities/tables.ts'
import { orphanVanished } from './orphanVanished.ts'
import { type ChainNews, type Cursor, readNext } from './readNext.ts'
import { ReadingPlan } from './ReadingPlan.ts'
import { SecondReading } from './SecondReading.ts'
import { SettlingPass } from './SettlingPass.ts'
import { takeBackBlocks } from './takeBackBlocks.ts'
import { takeInTransfers } from './takeInTransfers.ts'
import { Watch, type WatchOptions } from './Watch.ts'

/** A last block older than this means that reading has stopped. */
const BEHIND = 10 * MINUTE

/** Blocks kept to find a common ancestor; a chain that reorganises deeper than this is read again from the start block. */
const KEEP_BLOCKS = 20_000n

/**
 * Reads the payment chain as its one leader: stores what was paid to us, takes back what the chain takes back, and settles what is final.
 * Between two pages of deposits to settle it reads on, so that a crowd of transfers keeps no later payment waiting.
 *
 * What it has read and how far it has read are written in one transaction, so a kill between the two leaves neither.
 */
export class DepositWatcher {
  readonly #watch: Watch
  readonly #plan: ReadingPlan
  readonly #secondReading: SecondReading
  #toldHead: bigint | undefined

  constructor({ maxRange, ...options }: WatchOptions & { maxRange?: bigint }) {
    this.#watch = new Watch(options)
    this.#plan = new ReadingPlan(maxRange)
    this.#secondReading = new SecondReading(this.#watch, maxRange)
  }

  /** Reads up to the head, settles what is final, and reads that a second time. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    try {
      const pass = new SettlingPass(this.#watch)
      do await this.#readToHead(signal)
      while ((await pass.settlePage()) && !signal?.aborted)
      await this.#secondReading.run()
    } finally {
      // All the more where nothing can be read.
      await this.#warnIfBehind()
    }
  }

  async #readToHead(signal?: AbortSignal): Promise<void> {
    const filter = await this.#watch.readFilter()
    let cursor: Cursor = await this.#watch.readCursor()
    let next = this.#readPatiently(cursor, filter)
    while (!signal?.aborted) {
      const news = await next
      if (news.kind === 'nothing') {
        await this.#noteHead(news.head)
        await this.#preferHigherHead(news.head)
        return
      }
      if (news.kind === 'reorganised') {
        const ancestor = await this.#walkBack(cursor)
        // The endpoint contradicts itself: another look may find it of one mind.
        if (ancestor.number === cursor.number) return
        cursor = ancestor
        next = this.#readPatiently(cursor, filter)
        continue
      }
      const { last } = news
      const done = last.number >= news.head
      // The next range is on its way while this one is written.
      const ahead = done ? undefined : this.#readPatiently({ number: last.number, hash: last.hash }, filter)
      ahead?.catch(() => {})
      await this.#storeRange(news)
      if (!ahead) return
      next = ahead
    }
  }

  /** Reads a range, smaller and from elsewhere as needed. @throws once no endpoint gives even one block. */
  async #readPatiently(cursor: Cursor, filter: TransferFilter): Promise<ChainNews> {
    let failures = 0
    for (;;) {
      try {
        const news = await readNext(this.#watch.endpoint, { cursor, size: this.#plan.size, filter })
        if (news.kind === 'blocks') this.#plan.adapt(news.transfers.length)
        return news
      } catch (error) {
        // A refused range, an answer too large and a time-out are one thing: ask for less. A node that is away answers none of it.
        const canShrink = this.#plan.halve()
        const answered = isRpcRefusal(error) || error instanceof AnswerTooLarge || error instanceof ChainMoved
        if (!answered || !canShrink) {
          failures += 1
          this.#watch.moveOn()
        }
        if (failures > this.#watch.endpointCount * 2)
          throw new Error(`${hostOf(this.#watch.endpoint.url)} cannot be read.`, { cause: error })
      }
    }
  }

  async #storeRange({ last, transfers, head }: Extract<ChainNews, { kind: 'blocks' }>): Promise<void> {
    await this.#watch.write(async (em) => {
      await takeInTransfers(em, this.#watch, transfers)
      await this.#moveCursor(em, last)
      // Of many ranges in a row, one tells how far the chain has come.
      if (head !== this.#toldHead) await this.#setHead(em, head)
    })
    this.#toldHead = head
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

  async #noteHead(head: bigint): Promise<void> {
    const progress = await this.#watch.read
      .selectFrom('chain_progress')
      .select('headNumber')
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .executeTakeFirst()
    if ((progress?.headNumber ?? 0n) >= head) return
    await this.#watch.write((em) => this.#setHead(em, head))
  }

  /** Notes how far the chain has come, and tells those who wait for confirmations. */
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

  /** An endpoint whose head stands still is left for one that knows more. */
  async #preferHigherHead(head: bigint): Promise<void> {
    for (let i = 1; i < this.#watch.endpointCount; i += 1) {
      const other = this.#watch.endpointAt(i)
      const latest = await readBlock(other, 'latest').catch(() => null)
      if (latest && latest.number > head + 1n) {
        this.#watch.moveOn(i)
        return
      }
    }
  }

  /** Finds the last block we read that is still on the chain, and takes back what came after it. */
  async #walkBack(cursor: Cursor): Promise<Cursor> {
    const latest = await readBlock(this.#watch.endpoint, 'latest')
    if (!latest) throw new ChainMoved('The endpoint has no head.')
    const blocks = await this.#watch.read
      .selectFrom('chain_blocks')
      .select(['number', 'hash'])
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .orderBy('number', 'desc')
      .execute()
    let ancestor: Cursor = { number: this.#watch.services.config.DEPOSIT_START_BLOCK - 1n, hash: null }
    for (const { number, hash } of blocks) {
      const onChain = await readBlock(this.#watch.endpoint, number)
      // A header the endpoint ought to have and has not is no proof that the block is gone.
      if (!onChain && number <= latest.number) throw new ChainMoved(`${hostOf(this.#watch.endpoint.url)} lacks block ${number}.`)
      if (onChain?.hash === hash) {
        ancestor = { number, hash }
        break
      }
    }
    if (ancestor.number === cursor.number) return ancestor
    await this.#watch.write((em) => takeBackBlocks(em, ancestor))
    // What cannot be told yet is asked for again by the second reading, which goes back as well.
    await orphanVanished(this.#watch, { from: ancestor.number + 1n })
    return ancestor
  }

  /** Nothing is credited and nothing expires while blocks do not come: somebody must know. */
  async #warnIfBehind(): Promise<void> {
    const { time } = await this.#watch.readCursor()
    if (time && Date.now() - time.getTime() > BEHIND)
      this.#watch.alertOnce('behind', `No block was read since ${time.toISOString()}.`)
  }
}
