import type { EntityManager } from '@mikro-orm/postgresql'
import { HOUR, MINUTE } from '#shared/dates.ts'
import type { PayoutAccount } from '#api/platform/chain/createPayoutAccount.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { LeaderContext, type LeaderOptions } from '#api/entities/LeaderContext.ts'
import { mailOperator } from '#api/platform/mail/mailOperator.ts'

/**
 * The points at which tests inject faults, in the order in which a payout passes them.
 *
 * - nonceTaken: within the transaction, the wallet row is locked
 * - signed: within the transaction, nothing is stored yet
 * - stored: committed, not sent
 * - sent: a node has the bytes, not recorded yet
 * - receiptRead: the payout is final, not recorded yet
 * - settled: committed
 */
export const payoutSteps = ['nonceTaken', 'signed', 'stored', 'sent', 'receiptRead', 'settled'] as const
export type PayoutStep = (typeof payoutSteps)[number]

export interface PayoutContextOptions extends LeaderOptions {
  account: PayoutAccount
  /** Called with each message for the operator. */
  onAlert: (message: string) => void
  /** Called at each step, so that tests can inject faults. */
  step?: ((step: PayoutStep) => Promise<void>) | undefined
}

/** The payout wallet as one leader uses it, its endpoint in use, and the situations that the operator knows of. */
export class PayoutContext extends LeaderContext {
  readonly account: PayoutAccount
  readonly step: (step: PayoutStep) => Promise<void>
  readonly #onAlert: PayoutContextOptions['onAlert']
  /** When each began, and whether the operator knows of it. */
  readonly #situations = new Map<string, { since: Date; isTold: boolean }>()
  /** When the operator was last told of each, also of those that have ended. */
  readonly #toldAt = new Map<string, Date>()
  /** The last estimate of a payout's gas. */
  gasEstimate: { gas: bigint; at: Date } | undefined
  #current = 0
  /** The newest block of the current endpoint, and since when it is that. */
  #newest: { head: bigint; since: Date } | undefined

  constructor({ account, onAlert, step = async () => {}, ...options }: PayoutContextOptions) {
    super(options)
    this.account = account
    this.step = step
    this.#onAlert = onAlert
  }

  get endpoint(): RpcEndpoint {
    return this.endpoints[this.#current % this.endpoints.length]!
  }

  /**
   * Switches to the next endpoint if the given one is still in use. One round may find several reasons to leave the same endpoint, which
   * must not lead back to it.
   */
  leave(endpoint: RpcEndpoint): void {
    if (endpoint === this.endpoint) this.#current += 1
  }

  /** Leaves an endpoint that has had no new block for a minute while another one has. */
  async leaveStopped({ endpoint, head }: { endpoint: RpcEndpoint; head: bigint }): Promise<void> {
    const now = this.services.clock.now()
    if (this.#newest?.head !== head) this.#newest = { head, since: now }
    if (now.getTime() - this.#newest.since.getTime() < MINUTE) return
    this.#newest.since = now
    const others = this.endpoints.filter((other) => other !== endpoint)
    const heads = await Promise.allSettled(others.map((other) => readBlock(other, 'latest')))
    if (heads.some((other) => other.status === 'fulfilled' && other.value && other.value.number > head)) this.leave(endpoint)
  }

  /**
   * Alerts the operator once when a situation begins, by log and mail. `endAlert` ends the situation, so that its next occurrence alerts
   * again, at most once an hour: of two endpoints that are used in turn, one may begin and the other end it in each round.
   *
   * @param options `after`: only once it has lasted so many milliseconds.
   */
  async alert(situation: string, message: string, { after = 0 } = {}): Promise<void> {
    const now = this.services.clock.now()
    const { since, isTold } = this.#situations.get(situation) ?? { since: now, isTold: false }
    const toldAt = this.#toldAt.get(situation)?.getTime() ?? -Infinity
    const isDue = !isTold && now.getTime() - since.getTime() >= after && now.getTime() - toldAt >= HOUR
    if (isDue) await this.write((em) => this.mailOperator(em, message))
    if (isDue) this.#toldAt.set(situation, now)
    this.#situations.set(situation, { since, isTold: isTold || isDue })
    if (isDue) this.log(message)
  }

  /** @param options `isOver`: not only the endpoint in use says so. The next occurrence is another one, and alerts at once. */
  endAlert(situation: string, { isOver = false } = {}): void {
    this.#situations.delete(situation)
    if (isOver) this.#toldAt.delete(situation)
  }

  log(message: string): void {
    this.#onAlert(message)
  }

  /** Queues the mail in the caller's transaction. */
  async mailOperator(em: EntityManager, message: string): Promise<void> {
    await mailOperator(em, this.services, {
      subject: `${this.services.config.BRAND_NAME} payouts need an operator`,
      paragraphs: [message],
      facts: [['Payout wallet', this.account.address]],
    })
  }
}
