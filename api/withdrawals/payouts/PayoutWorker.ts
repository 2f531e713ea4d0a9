import { MINUTE } from '#shared/dates.ts'
import { broadcast } from './broadcast.ts'
import { checkWallet } from './checkWallet.ts'
import { hasDuePayouts, selectDue } from './duePayouts.ts'
import { readGas } from './estimateGas.ts'
import { FormerWallets } from './FormerWallets.ts'
import { type PayoutContextOptions, PayoutContext } from './PayoutContext.ts'
import { type ChainView, countUsed, readChain } from './readChain.ts'
import { readHotWalletBalance } from './readHotWalletBalance.ts'
import { sendPayouts } from './sendPayouts.ts'
import { emptyNotes } from './SettlementNotes.ts'
import { settlePayouts } from './settlePayouts.ts'
import { signPayouts } from './signPayouts.ts'
import { watchCaps } from './watchCaps.ts'
import { isGasPriceTooHigh } from './isGasPriceTooHigh.ts'

/** After this many batches, settlements are checked again. */
const MAX_BATCHES_PER_ROUND = 10

/**
 * Runs the payouts for one leader's term.
 *
 * Every payout is stored before it is sent, and only the chain decides its outcome. The worker may therefore be killed at any point:
 * the next leader continues from the rows.
 */
export class PayoutWorker {
  readonly #context: PayoutContext
  readonly #notes = emptyNotes()
  readonly #formerWallets: FormerWallets
  readonly #startedAt: Date
  #isCompared = false

  constructor(options: PayoutContextOptions) {
    this.#context = new PayoutContext(options)
    this.#formerWallets = new FormerWallets(options)
    this.#startedAt = options.services.clock.now()
  }

  /** Whether a payout is not final yet or a withdrawal is due. The daily sweep of the fees waits for the next reading of the chain. */
  async hasWork(): Promise<boolean> {
    const { read } = this.#context
    const { isOpen, isDue } = await read
      .selectNoFrom(({ exists, selectFrom }) => [
        exists(selectFrom('payouts').select('id').where('state', '=', 'sent')).as('isOpen'),
        exists(selectDue(read).select('w.id')).as('isDue'),
      ])
      .executeTakeFirstOrThrow()
    return Boolean(isOpen || (isDue && (await hasDuePayouts(this.#context))))
  }

  /**
   * One round: settles final payouts, resends those that are not mined, signs and sends due ones.
   *
   * @returns whether anything was settled or signed, so that the next round should follow at once.
   */
  async tick(signal?: AbortSignal): Promise<boolean> {
    const { endpoint } = this.#context
    let wasBusy: boolean
    try {
      wasBusy = await this.#work(signal)
    } catch (error) {
      this.#context.leave(endpoint)
      throw error
    }
    await this.#formerWallets.tick(this.#context)
    return wasBusy
  }

  async #work(signal: AbortSignal | undefined): Promise<boolean> {
    const context = this.#context
    const view = await readChain(context)
    await context.leaveStopped(view)
    // A restored database may lack payments. One host alone may hide them: of several nonces that it calls unused the chain refuses only the
    // used ones, and the others repeat payments. So two hosts, if two are configured, are asked once in each term.
    const told = this.#isCompared ? view.seen : await countUsed(context, context.account.address).catch(() => undefined)
    await checkWallet(context, { ...view, seen: Math.max(view.seen, told ?? 0) })
    this.#isCompared = told !== undefined
    // Both mostly wait for I/O, and they work on disjoint payouts: nonces that are used up and nonces that are not.
    const parts = await Promise.allSettled([settlePayouts(context, view, this.#notes), this.#pay(view, signal)])
    for (const part of parts) if (part.status === 'rejected') throw part.reason
    return parts.some((part) => part.status === 'fulfilled' && part.value > 0)
  }

  /** @returns the number of payouts signed. */
  async #pay(view: ChainView, signal: AbortSignal | undefined): Promise<number> {
    const context = this.#context
    await sendPayouts(context, view)
    await watchCaps(context)
    if (!(await hasDuePayouts(context))) return 0
    if (!this.#isCompared) {
      if (context.services.clock.now().getTime() - this.#startedAt.getTime() >= MINUTE)
        await context.alert(
          'uncompared',
          'Too few endpoints of the reward chain tell what the payout wallet has sent. Withdrawals wait until two do.',
        )
      return 0
    }

    const hotWallet = await readHotWalletBalance(context, view)
    if (await isGasPriceTooHigh(context, view.endpoint, hotWallet.fees)) return 0
    const gas = await readGas(context, view.endpoint, hotWallet)
    let signed = 0
    // The next batch is signed and stored while this one is sent.
    let sending: Promise<unknown> = Promise.resolve()
    try {
      for (let batch = 0; gas !== undefined && batch < MAX_BATCHES_PER_ROUND && !signal?.aborted; batch += 1) {
        const { attempts, more } = await signPayouts(context, { view, hotWallet, gas })
        signed += attempts.length
        await sending
        sending = broadcast(context, attempts)
        // The awaits report its failure; this only avoids an unhandled rejection in between.
        sending.catch(() => {})
        if (!more) break
      }
    } finally {
      await sending
    }
    return signed
  }
}
