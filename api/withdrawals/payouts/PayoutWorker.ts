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

/** Then what was settled meanwhile is looked at again. */
const BATCHES_A_TICK = 10

/**
 * The payouts of one leader's term.
 *
 * Everything is written down before it is sent, and only the chain decides what became of it, so it may end at any line: the next leader
 * goes on from the rows.
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

  /** Whether anything is to be signed or waits to be final. */
  async hasWork(): Promise<boolean> {
    const open = await this.#desk.read.selectFrom('payouts').select('id').where('state', '=', 'sent').limit(1).executeTakeFirst()
    return open !== undefined || (await hasDuePayouts(this.#desk))
  }

  /**
   * Looks once: settles what is final, sends again what is not mined, signs and sends what waits.
   *
   * @returns whether there was anything to settle or to sign, and so may be again at once.
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
    // Each waits for the chain and the database most of its time, and touches none of the other's payouts: those whose nonces are used
    // up, and those whose are not.
    const parts = await Promise.allSettled([settlePayouts(desk, view, this.#notes), this.#pay(view, signal)])
    for (const part of parts) if (part.status === 'rejected') throw part.reason
    return parts.some((part) => part.status === 'fulfilled' && part.value > 0)
  }

  /** @returns how many were signed. */
  async #pay(view: ChainView, signal: AbortSignal | undefined): Promise<number> {
    const desk = this.#desk
    await sendPayouts(desk, view)
    if (!(await hasDuePayouts(desk))) return 0

    const float = await readFloat(desk, view)
    if (await isTooDear(desk, float.fees)) return 0
    const gas = await this.#estimateGas(desk, view.endpoint, float)
    let signed = 0
    // While one batch is sent the next is signed and stored.
    let sending: Promise<unknown> = Promise.resolve()
    try {
      for (let batch = 0; gas !== undefined && batch < BATCHES_A_TICK && !signal?.aborted; batch += 1) {
        const { attempts, more } = await signPayouts(desk, { view, float, gas })
        signed += attempts.length
        await sending
        sending = broadcast(desk, attempts)
        // Its failure is told where it is waited for.
        sending.catch(() => {})
        if (!more) break
      }
    } finally {
      await sending
    }
    return signed
  }
}
