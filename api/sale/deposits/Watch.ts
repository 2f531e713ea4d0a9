import type { Hash } from 'viem'
import { HOUR } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { readAgreedFinalNumber } from '#api/platform/chain/readAgreedBlock.ts'
import type { TransferFilter } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { LeaderContext, type LeaderOptions } from '#api/entities/LeaderContext.ts'
import { readLastBlock } from '../purchases/readLastBlock.ts'
import type { Cursor } from './readNext.ts'
import { claimDatabase } from '../purchases/restoredDatabase.ts'

/** Blocks that were read and are not final yet, beyond those that the confirmations take. More take minutes. */
const MAX_FINALITY_LAG = 1_000n

export interface WatchOptions extends LeaderOptions {
  /** When each hourly alert was last sent; a new term must not repeat it. */
  alerted?: Map<string, number> | undefined
  /** Called with messages for the operator, such as a missing log or a vanished final deposit. */
  onAlert: (message: string) => void
}

/** Transactions that an alert names. */
const MAX_NAMED = 5

/** For one alert about many deposits: each alert is a mail. */
export const nameFirst = (hashes: readonly string[]): string =>
  hashes.length > MAX_NAMED ? `${hashes.slice(0, MAX_NAMED).join(', ')} and ${hashes.length - MAX_NAMED} more` : hashes.join(', ')

/** The payment chain as one leader watches it: its endpoint in use, and the reading position. */
export class Watch extends LeaderContext {
  readonly endpointCount: number
  readonly alert: (message: string) => void
  /**
   * Transactions of orphaned deposits that were mined again with other transfers. These deposits wait for an administrator and are not
   * checked again.
   */
  readonly changedTransactions: Hash[] = []
  readonly #alerted: Map<string, number>
  #current = 0

  constructor({ alerted = new Map(), onAlert, ...options }: WatchOptions) {
    super(options)
    this.endpointCount = options.endpoints.length
    this.alert = onAlert
    this.#alerted = alerted
  }

  get endpoint(): RpcEndpoint {
    return this.endpointAt(0)
  }

  /** The current endpoint, or one after it. */
  endpointAt(offset: number): RpcEndpoint {
    return this.endpoints[(this.#current + offset) % this.endpointCount]!
  }

  /** Switches to a later endpoint. */
  switchEndpoint(by = 1): void {
    this.#current += by
  }

  /** Sends an alert at most once an hour per key. */
  alertOnce(key: string, message: string): void {
    const before = this.#alerted.get(key)
    if (before !== undefined && Date.now() - before < HOUR) return
    this.#alerted.set(key, Date.now())
    this.alert(message)
  }

  alertUnverified(hashes: readonly Hash[]): void {
    this.alertOnce('unverified', `Payments wait, because too few endpoints show their receipts: ${nameFirst(hashes)}`)
  }

  async readFilter(): Promise<TransferFilter> {
    const rows = await this.read.selectFrom('deposit_addresses').select('address').orderBy('address').execute()
    return { token: this.services.config.USDT_ADDRESS, recipients: rows.map(({ address }) => address) }
  }

  /** The last block that was read. */
  async readCursor(): Promise<Cursor & { time: Date | null }> {
    const last = await readLastBlock(this.services.orm.em.fork())
    return last ?? { number: this.services.config.DEPOSIT_START_BLOCK - 1n, hash: null, time: null }
  }

  /** The last block that was read a second time. */
  async readVerifiedNumber(): Promise<bigint> {
    const { verifiedNumber } = await this.read
      .selectFrom('chain_progress')
      .select('verifiedNumber')
      .where('chainId', '=', PAYMENT_CHAIN_ID)
      .executeTakeFirstOrThrow()
    return verifiedNumber
  }

  /**
   * Whether payments may be credited: in a restored database only once an operator has said what was refunded after the dump. Asked before
   * each page of payments, because a dump may be restored while this process runs.
   */
  async maySettle(): Promise<boolean> {
    const maySettle = await this.write(claimDatabase)
    if (!maySettle)
      this.alertOnce(
        'restored',
        'This database was restored from a dump, and may not know what was refunded since. Payments wait until `npm run admin -- review-payments` has named the wallets.',
      )
    return maySettle
  }

  /** The newest block that was read and that two hosts, if two are configured, report as final. */
  async readFinal(): Promise<bigint | undefined> {
    const cursor = await this.readCursor()
    const { PAYMENT_CONFIRMATIONS: confirmations } = this.services.config
    const finalNumber = await readAgreedFinalNumber(this.endpoints, confirmations)
    if (finalNumber === undefined && this.endpointCount > 1)
      this.alertOnce(
        'one-host',
        'Too few endpoints of the payment chain answer: two must agree before a payment is credited. Payments wait.',
      )
    if (finalNumber === undefined || cursor.hash === null) return undefined
    if (cursor.number - finalNumber > MAX_FINALITY_LAG + 3n * BigInt(confirmations))
      this.alertOnce(
        'finality',
        `Block ${cursor.number} is read, and only block ${finalNumber} is final at enough endpoints of the payment chain. Payments after it wait.`,
      )
    return finalNumber < cursor.number ? finalNumber : cursor.number
  }
}
