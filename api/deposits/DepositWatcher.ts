import { listPurchases } from '#shared/contract/purchases.ts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import {
  type Block,
  ChainMoved,
  findInReceipt,
  readBlock,
  readTransfers,
  type Transfer,
  type TransferFilter,
} from '../chain/readTransfers.ts'
import { AnswerTooLarge } from '../chain/createJsonRpc.ts'
import { hostOf, isRpcRefusal, type RpcEndpoint } from '../chain/RpcEndpoint.ts'
import { LeadershipLost, requireTerm, type Term } from '../db/lead.ts'
import { sql } from '../db/sql.ts'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '../services.ts'
import { bindSeenDeposits } from './bindSeenDeposits.ts'
import { type ChainNews, type Cursor, readNext } from './readNext.ts'
import { ReadingPlan } from './ReadingPlan.ts'
import { settleDeposit } from './settleDeposit.ts'
import { storeDeposits, thawNodes } from './storeDeposits.ts'
import { takeBackBlocks } from './takeBackBlocks.ts'

export interface WatcherOptions {
  services: Services
  endpoints: readonly RpcEndpoint[]
  term: Pick<Term, 'role' | 'epoch'>
  /** Told of what an operator must know: a log that was missing, a final deposit that vanished. */
  onAlert: (message: string) => void
  maxRange?: bigint
}

/** Deposits read for settling at a time. */
const SETTLE_AT_ONCE = 100

/** Final blocks that may wait for their second reading before somebody is told. */
const VERIFY_LAG = 2_000n

/** A last block older than this means that reading has stopped. */
const BEHIND = 10 * MINUTE

/** Blocks kept to find a common ancestor; a chain that reorganises deeper than this is read again from the start block. */
const KEEP_BLOCKS = 20_000n

interface DueDeposit {
  id: string
  transaction_hash: `0x${string}`
  block_number: string
  block_hash: `0x${string}`
  log_index: number
  sender: `0x${string}`
  recipient: `0x${string}`
  amount: string
}

/**
 * Reads the payment chain as its one leader: stores what was paid to us, takes back what the chain takes back, and settles what is final.
 *
 * What it has read and how far it has read are written in one transaction, so a kill between the two leaves neither.
 */
export class DepositWatcher {
  readonly #services: Services
  readonly #endpoints: readonly RpcEndpoint[]
  readonly #term: WatcherOptions['term']
  readonly #alert: WatcherOptions['onAlert']
  readonly #plan: ReadingPlan
  readonly #verifyPlan: ReadingPlan
  readonly #alerted = new Map<string, number>()
  #current = 0
  #toldHead: bigint | undefined

  constructor({ services, endpoints, term, onAlert, maxRange }: WatcherOptions) {
    this.#services = services
    this.#endpoints = endpoints
    this.#term = term
    this.#alert = onAlert
    this.#plan = new ReadingPlan(maxRange)
    this.#verifyPlan = new ReadingPlan(maxRange)
  }

  /** Reads up to the head, settles what is final, and verifies it. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    await this.#readToHead(signal)
    await this.#settleFinal(signal)
    await this.#verifyFinal()
    await this.#warnIfBehind()
  }

  get #endpoint(): RpcEndpoint {
    return this.#endpointAt(0)
  }

  /** The endpoint in use, or one of those after it. */
  #endpointAt(offset: number): RpcEndpoint {
    return this.#endpoints[(this.#current + offset) % this.#endpoints.length]!
  }

  async #readToHead(signal?: AbortSignal): Promise<void> {
    const filter = await this.#readFilter()
    let cursor = await this.#readCursor()
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
        const news = await readNext(this.#endpoint, { cursor, size: this.#plan.size, filter })
        if (news.kind === 'blocks') this.#plan.adapt(news.transfers.length)
        return news
      } catch (error) {
        // A refused range, an answer too large and a time-out are one thing: ask for less. A node that is away answers none of it.
        const canShrink = this.#plan.halve()
        const answered = isRpcRefusal(error) || error instanceof AnswerTooLarge || error instanceof ChainMoved
        if (!answered || !canShrink) {
          failures += 1
          this.#current += 1
        }
        if (failures > this.#endpoints.length * 2)
          throw new Error(`${hostOf(this.#endpoint.url)} cannot be read.`, { cause: error })
      }
    }
  }

  async #storeRange({ last, transfers, head }: Extract<ChainNews, { kind: 'blocks' }>): Promise<void> {
    await this.#write(async (em) => {
      await this.#storeTransfers(em, transfers)
      await this.#moveCursor(em, last)
      // Of many ranges in a row, one tells how far the chain has come.
      if (head !== this.#toldHead) await this.#setHead(em, head)
    })
    this.#toldHead = head
  }

  /** @returns how many were not known before. */
  async #storeTransfers(em: EntityManager, transfers: readonly Transfer[]): Promise<number> {
    const { added, notable } = await storeDeposits(em, transfers, this.#services.clock.productNow())
    await thawNodes(
      em,
      notable.filter(({ returned }) => returned).flatMap(({ purchaseId }) => purchaseId ?? []),
    )
    await bindSeenDeposits(
      em,
      notable.map(({ id }) => id),
    )
    for (const { id } of notable.filter(({ changed }) => changed)) {
      this.#alertOnce(
        id,
        `The orphaned deposit ${id} was mined again as something else. It stays orphaned until somebody has looked.`,
      )
    }
    return added
  }

  async #moveCursor(em: EntityManager, last: Block): Promise<void> {
    await sql(em, 'insert into chain_blocks (chain_id, number, hash, time) values ($1, $2, $3, $4)', [
      PAYMENT_CHAIN_ID,
      last.number,
      last.hash,
      last.time,
    ])
    await sql(em, 'delete from chain_blocks where chain_id = $1 and number < $2', [PAYMENT_CHAIN_ID, last.number - KEEP_BLOCKS])
  }

  async #noteHead(head: bigint): Promise<void> {
    const [progress] = await sql<{ head_number: string }>(
      this.#services.orm.em.fork(),
      'select head_number from chain_progress where chain_id = $1',
      [PAYMENT_CHAIN_ID],
    )
    if (BigInt(progress?.head_number ?? 0) >= head) return
    await this.#write((em) => this.#setHead(em, head))
  }

  /** Notes how far the chain has come, and tells those who wait for confirmations. */
  async #setHead(em: EntityManager, head: bigint): Promise<void> {
    await sql(em, 'update chain_progress set head_number = $2, updated_at = now() where chain_id = $1', [PAYMENT_CHAIN_ID, head])
    await sql(
      em,
      `insert into change_events (user_id, keys)
       select distinct user_id, array[$1] from deposits where state = 'seen' and block_number is not null and user_id is not null`,
      [listPurchases.path],
    )
  }

  /** An endpoint whose head stands still is left for one that knows more. */
  async #preferHigherHead(head: bigint): Promise<void> {
    for (let i = 1; i < this.#endpoints.length; i += 1) {
      const other = this.#endpointAt(i)
      const latest = await readBlock(other, 'latest').catch(() => null)
      if (latest && latest.number > head + 1n) {
        this.#current += i
        return
      }
    }
  }

  /** Finds the last block we read that is still on the chain, and takes back what came after it. */
  async #walkBack(cursor: Cursor): Promise<Cursor> {
    const latest = await readBlock(this.#endpoint, 'latest')
    if (!latest) throw new ChainMoved('The endpoint has no head.')
    const blocks = await sql<{ number: string; hash: `0x${string}` }>(
      this.#services.orm.em.fork(),
      'select number, hash from chain_blocks where chain_id = $1 order by number desc',
      [PAYMENT_CHAIN_ID],
    )
    let ancestor: Cursor = { number: this.#services.config.DEPOSIT_START_BLOCK - 1n, hash: null }
    for (const { number, hash } of blocks) {
      const onChain = await readBlock(this.#endpoint, BigInt(number))
      // A header the endpoint ought to have and has not is no proof that the block is gone.
      if (!onChain && BigInt(number) <= latest.number)
        throw new ChainMoved(`${hostOf(this.#endpoint.url)} lacks block ${number}.`)
      if (onChain?.hash === hash) {
        ancestor = { number: BigInt(number), hash }
        break
      }
    }
    if (ancestor.number === cursor.number) return ancestor
    const { orphaned } = await this.#write((em) => takeBackBlocks(em, ancestor, this.#services.clock.productNow()))
    for (const { transactionHash } of orphaned)
      this.#alert(`The final deposit ${transactionHash} vanished in a reorganisation. Its nodes are frozen.`)
    return ancestor
  }

  /** Settles the deposits that are deep enough and final, each by itself: one that fails, or whose receipt is unknown, holds up no other. */
  async #settleFinal(signal?: AbortSignal): Promise<void> {
    const finalNumber = await this.#readFinal()
    if (finalNumber === undefined) return
    let after: DueDeposit | undefined
    while (!signal?.aborted) {
      const due = await this.#readDue(finalNumber, after)
      for (const deposit of due) if (!signal?.aborted) await this.#settleOne(deposit)
      after = due.at(-1)
      if (due.length < SETTLE_AT_ONCE) return
    }
  }

  #readDue(finalNumber: bigint, after: DueDeposit | undefined): Promise<DueDeposit[]> {
    return sql<DueDeposit>(
      this.#services.orm.em.fork(),
      `select id, transaction_hash, block_number, block_hash, log_index, sender, recipient, amount from deposits
       where state = 'seen' and block_number <= $1 and (block_number, log_index) > ($2, $3)
       order by block_number, log_index limit ${SETTLE_AT_ONCE}`,
      [finalNumber, after?.block_number ?? -1, after?.log_index ?? -1],
    )
  }

  async #settleOne(row: DueDeposit): Promise<void> {
    try {
      const found = await this.#findInReceipts(row)
      if (found === 'present') await this.#write((em) => settleDeposit(em, this.#services, row.id))
      if (found === 'absent') {
        // It is taken out of its block, as if that were gone: it binds no request, and the second reading stores it again if it is there.
        await this.#write((em) =>
          sql(
            em,
            'update deposits set block_number = null, block_hash = null, block_time = null, log_index = null where id = $1',
            [row.id],
          ),
        )
        this.#alertOnce(row.id, `The log of deposit ${row.transaction_hash} is not in its receipt. It is not credited.`)
      }
    } catch (error) {
      if (error instanceof LeadershipLost) throw error
      this.#alertOnce(row.id, `The deposit ${row.transaction_hash} could not be settled and is tried again: ${String(error)}`)
    }
  }

  /** Looks a deposit up in its receipt: one endpoint that has it is enough, one that has not, or does not answer, settles nothing. */
  async #findInReceipts(row: DueDeposit): Promise<'present' | 'absent' | 'unknown'> {
    const transfer = {
      transactionHash: row.transaction_hash,
      blockHash: row.block_hash,
      logIndex: row.log_index,
      sender: row.sender,
      recipient: row.recipient,
      amount: BigInt(row.amount),
      token: this.#services.config.USDT_ADDRESS,
    }
    const answers: ('absent' | 'unknown')[] = []
    for (let i = 0; i < this.#endpoints.length; i += 1) {
      const found = await findInReceipt(this.#endpointAt(i), transfer).catch(() => 'unknown' as const)
      if (found === 'present') return found
      answers.push(found)
    }
    return answers.includes('unknown') ? 'unknown' : 'absent'
  }

  /**
   * The newest block that counts as final: N confirmations deep, at or below the chain's own `finalized`, or 3 N deep where the endpoint
   * lacks that tag; and read by us.
   */
  async #readFinal(): Promise<bigint | undefined> {
    const { PAYMENT_CONFIRMATIONS } = this.#services.config
    const cursor = await this.#readCursor()
    const latest = await readBlock(this.#endpoint, 'latest')
    if (!latest || cursor.hash === null) return undefined
    const finalized = await readBlock(this.#endpoint, 'finalized').catch((error: unknown) => {
      if (isRpcRefusal(error)) return null
      throw error
    })
    const deep = latest.number - BigInt(PAYMENT_CONFIRMATIONS) + 1n
    const finalNumber = finalized ? finalized.number : latest.number - 3n * BigInt(PAYMENT_CONFIRMATIONS) + 1n
    return [deep, finalNumber, cursor.number].reduce((least, number) => (number < least ? number : least))
  }

  /** Reads final blocks a second time, from another endpoint where there is one: what the first one left out is found. */
  async #verifyFinal(): Promise<void> {
    const finalNumber = await this.#readFinal()
    if (finalNumber === undefined) return
    const [progress] = await sql<{ verified_number: string }>(
      this.#services.orm.em.fork(),
      'select verified_number from chain_progress where chain_id = $1',
      [PAYMENT_CHAIN_ID],
    )
    const from = BigInt(progress!.verified_number) + 1n
    if (from > finalNumber) return
    const to = from + this.#verifyPlan.size - 1n < finalNumber ? from + this.#verifyPlan.size - 1n : finalNumber
    const transfers = await this.#readAgain(from, to)
    if (!transfers) {
      if (finalNumber - from > VERIFY_LAG)
        this.#alertOnce('verify', `Final blocks from ${from} on could not be read a second time for long.`)
      return
    }
    const missing = await this.#write(async (em) => {
      const count = await this.#storeTransfers(em, transfers)
      await sql(em, 'update chain_progress set verified_number = $2 where chain_id = $1', [PAYMENT_CHAIN_ID, to])
      return count
    })
    if (missing > 0)
      this.#alert(`${missing} deposits in blocks ${from} to ${to} were missing from the first reading. They are stored now.`)
  }

  /**
   * Reads a final range from another endpoint than the first reading did. One that lags behind is waited for; where all others refuse,
   * the same one is asked again, which is better than not at all.
   */
  async #readAgain(from: bigint, to: bigint): Promise<Transfer[] | undefined> {
    const filter = await this.#readFilter()
    const ownBlock = await readBlock(this.#endpoint, to)
    const others = this.#endpoints.length - 1
    for (let i = Math.min(1, others); i <= others + 1; i += 1) {
      try {
        const other = this.#endpointAt(i)
        const otherBlock = await readBlock(other, to)
        if (!otherBlock || otherBlock.hash !== ownBlock?.hash) return undefined
        const transfers = await readTransfers(other, { ...filter, from, to })
        this.#verifyPlan.adapt(transfers.length)
        return transfers
      } catch (error) {
        if (isRpcRefusal(error) || error instanceof AnswerTooLarge) this.#verifyPlan.halve()
      }
    }
    return undefined
  }

  /** Nothing is credited and nothing expires while blocks do not come: somebody must know. */
  async #warnIfBehind(): Promise<void> {
    const [last] = await sql<{ time: string }>(
      this.#services.orm.em.fork(),
      'select time from chain_blocks where chain_id = $1 order by number desc limit 1',
      [PAYMENT_CHAIN_ID],
    )
    if (last && Date.now() - new Date(last.time).getTime() > BEHIND)
      this.#alertOnce('behind', `No block was read since ${last.time}.`)
  }

  /** Says a thing at most once an hour. */
  #alertOnce(key: string, message: string): void {
    const before = this.#alerted.get(key)
    if (before !== undefined && Date.now() - before < HOUR) return
    this.#alerted.set(key, Date.now())
    this.#alert(message)
  }

  async #readFilter(): Promise<TransferFilter> {
    const rows = await sql<{ address: `0x${string}` }>(
      this.#services.orm.em.fork(),
      'select address from deposit_addresses order by address',
    )
    return { token: this.#services.config.USDT_ADDRESS, recipients: rows.map(({ address }) => address) }
  }

  async #readCursor(): Promise<Cursor> {
    const [row] = await sql<{ number: string; hash: `0x${string}` }>(
      this.#services.orm.em.fork(),
      'select number, hash from chain_blocks where chain_id = $1 order by number desc limit 1',
      [PAYMENT_CHAIN_ID],
    )
    return row
      ? { number: BigInt(row.number), hash: row.hash }
      : { number: this.#services.config.DEPOSIT_START_BLOCK - 1n, hash: null }
  }

  /** Writes as the present leader, or not at all. */
  #write<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.#services.orm.em.fork().transactional(async (em) => {
      await requireTerm(em, this.#term)
      return work(em)
    })
  }
}
