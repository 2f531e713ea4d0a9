import { broadcast } from './broadcast.ts'
import { checkWallet } from './checkWallet.ts'
import { FormerWallets } from './FormerWallets.ts'
import { type DeskOptions, PayoutDesk } from './PayoutDesk.ts'
import { type ChainView, readChain } from './readChain.ts'
import { createGasEstimate, readFloat } from './readFloat.ts'
import { sendPayouts } from './sendPayouts.ts'
import { type SettlementNotes, settlePayouts } from './settlePayouts.ts'
import { hasDuePayouts, signPayouts } from './signPayouts.ts'
import { isTooDear } from './isTooDear.ts'

/** After this many batches, settlements are checked again. */
const BATCHES_A_TICK = 10

/**
 * Runs the payouts for one leader's term.
 *
 * Every payout is stored before it is sent, and only the chain decides its outcome. The worker may therefore be killed at any point:
 * the next leader continues from the rows.
 */
export class PayoutWorker {
  readonly #desk: PayoutDesk
  readonly #notes: SettlementNotes = { missing: new Map(), lookedUpTo: undefined }
  readonly #estimateGas = createGasEstimate()
  readonly #formerWallets: FormerWallets

  constructor(options: DeskOptions) {
    this.#desk = new PayoutDesk(options)
    this.#formerWallets = new FormerWallets(options)
  }

  /** Whether any payout is due or not final yet. */
  async hasWork(): Promise<boolean> {
    const open = await this.#desk.read.selectFrom('payouts').select('id').where('state', '=', 'sent').limit(1).executeTakeFirst()
    return open !== undefined || (await hasDuePayouts(this.#desk))
  }

  /**
   * One round: settles final payouts, resends those that are not mined, signs and sends due ones.
   *
   * @returns whether anything was settled or signed, so that the next round should follow at once.
   */
  async tick(signal?: AbortSignal): Promise<boolean> {
    let wasBusy: boolean
    try {
      wasBusy = await this.#work(signal)
    } catch (error) {
      this.#desk.moveOn()
      throw error
    }
    await this.#formerWallets.tick(this.#desk)
    return wasBusy
  }

  async #work(signal: AbortSignal | undefined): Promise<boolean> {
    const desk = this.#desk
    const view = await readChain(desk)
    await checkWallet(desk, view)
    // Both mostly wait for I/O, and they work on disjoint payouts: nonces that are used up and nonces that are not.
    const parts = await Promise.allSettled([settlePayouts(desk, view, this.#notes), this.#pay(view, signal)])
    for (const part of parts) if (part.status === 'rejected') throw part.reason
    return parts.some((part) => part.status === 'fulfilled' && part.value > 0)
  }

  /** @returns the number of payouts signed. */
  async #pay(view: ChainView, signal: AbortSignal | undefined): Promise<number> {
    const desk = this.#desk
    await sendPayouts(desk, view)
    if (!(await hasDuePayouts(desk))) return 0

    const float = await readFloat(desk, view)
    if (await isTooDear(desk, float.fees)) return 0
    const gas = await this.#estimateGas(desk, view.endpoint, float)
    let signed = 0
    // The next batch is signed and stored while this one is sent.
    let sending: Promise<unknown> = Promise.resolve()
    try {
      for (let batch = 0; gas !== undefined && batch < BATCHES_A_TICK && !signal?.aborted; batch += 1) {
        const { attempts, more } = await signPayouts(desk, { view, float, gas })
        signed += attempts.length
        await sending
        sending = broadcast(desk, attempts)
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
