import { MINUTE, SECOND } from '#shared/dates.ts'
import { confirmEarlier } from '#api/platform/db/confirmEarlier.ts'
import { readFeeRange } from '#api/platform/chain/readFees.ts'
import { broadcast } from './broadcast.ts'
import { estimateGas } from './estimateGas.ts'
import { isGasPriceTooHigh } from './isGasPriceTooHigh.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { ChainView } from './readChain.ts'
import { readWaitingPayouts } from './readWaitingPayouts.ts'
import { replaceStuck } from './replaceStuck.ts'

/** The interval at which the same bytes are resent, because a node may drop a transaction it accepted. */
const RESEND_AFTER = 10 * SECOND
/** After this time a transaction is replaced by one with higher fees. */
const STUCK_AFTER = MINUTE

/** Resends payouts that are signed and not mined, and replaces those that are stuck or cancelled at the same nonce. */
export async function sendPayouts(context: PayoutContext, view: ChainView): Promise<void> {
  const { waiting, toCancel, tooLow } = await resendPayouts(context, view)
  const now = context.services.clock.now().getTime()
  const stuck = waiting.filter(({ signedAt, open }) => open && now - signedAt.getTime() >= STUCK_AFTER)
  if (toCancel.length + tooLow.length + stuck.length === 0) return
  // It may accept transactions and pass them on to no other node, or refuse them alone.
  if (stuck.length + tooLow.length > 0) context.leave(view.endpoint)
  const current = await readFeeRange(context.endpoints)
  if (await isGasPriceTooHigh(context, view.endpoint, current.low)) return
  // Payouts queued behind a stuck one need no replacement, unless they offer much less than what is asked or the first one now offers.
  const offered = waiting.find(({ nonce }) => nonce === view.mined)?.fees.maxFeePerGas ?? 0n
  // If it offers more than any host asks, its fees are not what keeps it from being mined.
  const first = offered < current.high.maxFeePerGas ? offered : current.high.maxFeePerGas
  const usual = first > current.low.maxFeePerGas ? first : current.low.maxFeePerGas
  const replaced = new Set([
    ...toCancel,
    ...tooLow,
    ...stuck.filter(({ nonce, fees }) => nonce === view.mined || fees.maxFeePerGas < usual / 2n),
  ])
  const payouts = [...replaced].filter(({ open }) => open)
  if (payouts.length === 0) return
  const gas = await estimateGas(context, view.endpoint)
  // What no node ever took is replaced in each round, so its newest transaction never gets old.
  const untaken = tooLow.filter(({ sentAt, firstSignedAt }) => !sentAt && now - firstSignedAt.getTime() >= STUCK_AFTER)
  const replacements = await replaceStuck(context, payouts, {
    current,
    stuck: new Set([...stuck, ...untaken]),
    gas: typeof gas === 'bigint' ? gas : undefined,
  })
  if (replacements.length > 0) {
    await context.step('stored')
    await broadcast(context, replacements)
  }
}

/** Resends the stored bytes of payouts that are not mined. Needs no key. */
export async function resendPayouts(context: PayoutContext, view: ChainView) {
  const waiting = await readWaitingPayouts(context, view.mined)
  const now = context.services.clock.now().getTime()
  const toCancel = waiting.filter((payout) => payout.cancelRequested && payout.kind === 'pay' && payout.open)
  const due = waiting.filter(
    ({ sentAt, id }) => (!sentAt || now - sentAt.getTime() >= RESEND_AFTER) && !toCancel.some((one) => one.id === id),
  )
  // What was stored by a commit whose wait for a standby was cut short is sent only once it is confirmed: a failover could lose it.
  if (due.length > 0) await context.write(confirmEarlier)
  const refused = await broadcast(
    context,
    due.map((payout) => ({ ...payout, id: payout.attemptId, payout })),
  )
  return { waiting, toCancel, tooLow: refused.map(({ payout }) => payout) }
}
