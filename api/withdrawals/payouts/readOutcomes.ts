import { isAgreed, isPaidElsewhere, keepAgreed } from './agreeOnOutcomes.ts'
import { isRefund, type Outcome, toOutcome } from './Outcome.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { type ChainView, countFinal } from './readChain.ts'
import { findReceipt, type OpenPayout, readMined, readOpenPayouts } from './readMined.ts'
import { LOST_AFTER, type SettlementNotes } from './SettlementNotes.ts'

/** The outcomes of the payouts that are final on the chain, as far as the endpoints agree (money.md 25). */
export async function readOutcomes(context: PayoutContext, view: ChainView, notes: SettlementNotes): Promise<Outcome[]> {
  const payouts = await readOpenPayouts(context, view.final ?? view.mined)
  const token = context.services.config.XCR_TOKEN_ADDRESS
  const { lastFinalBlock } = notes
  notes.lastFinalBlock = view.finalBlock
  // Their nonce is unused again, or they are settled.
  for (const noted of [notes.missing, notes.unagreed])
    for (const id of noted.keys()) if (!payouts.some((payout) => payout.id === id)) noted.delete(id)
  const found = await readMined(view, { payouts, token, lastFinalBlock })

  const outcomes: Outcome[] = []
  const paid: Outcome[] = []
  for (const payout of payouts) {
    const mined = found.get(payout.id)
    if (!mined) {
      if (await isLost(context, view, payout, notes)) outcomes.push({ payout, state: 'lost', hash: null, ordinal: 0 })
      continue
    }
    notes.missing.delete(payout.id)
    if (!mined.isFinal) continue
    const outcome = toOutcome(context, payout, mined)
    if (outcome.state === 'paid') paid.push(outcome)
    else if (!isRefund(outcome)) outcomes.push(outcome)
    else if (!(await isPaidElsewhere(context, view, payout)) && (await isAgreed(context, outcome, notes))) outcomes.push(outcome)
  }
  outcomes.push(...(await keepAgreed(context, view, { paid, notes, lastFinalBlock })))
  return outcomes
}

/**
 * Whether the nonce is final and no answering endpoint has had a receipt of ours for `LOST_AFTER`. If another endpoint has one, the current
 * one hides it, and the next round asks another.
 */
async function isLost(
  context: PayoutContext,
  view: ChainView,
  payout: OpenPayout,
  { missing }: SettlementNotes,
): Promise<boolean> {
  if (payout.nonce >= (view.final ?? view.mined)) return false
  const now = context.services.clock.now()
  const first = missing.get(payout.id)
  if (!first) missing.set(payout.id, { since: now, head: view.head })
  if (!first || now.getTime() - first.since.getTime() < LOST_AFTER) return false
  const { XCR_TOKEN_ADDRESS: token, XCR_CONFIRMATIONS: confirmations } = context.services.config
  // Without the state of the final block, the nonce is final once it has been used for as many blocks.
  if (view.final === undefined && view.head - first.head < BigInt(confirmations)) return false
  const others = context.endpoints.filter((endpoint) => endpoint !== view.endpoint)
  const denials = await Promise.all(
    others.map((endpoint) =>
      Promise.all([findReceipt(endpoint, payout, token), countFinal(endpoint, context.account.address, view.finalBlock)]).then(
        ([mined, final]) => !mined && (final === undefined || final > payout.nonce),
        () => true,
      ),
    ),
  )
  if (denials.every(Boolean)) return true
  context.leave(view.endpoint)
  return false
}
