import { votesNeeded } from '#api/platform/chain/readAgreed.ts'
import { readAgreedFinality } from '#api/platform/chain/readAgreedFinality.ts'
import { readAgreedReceipt } from '#api/platform/chain/readAgreedReceipt.ts'
import { hostOf } from '#api/platform/chain/RpcEndpoint.ts'
import { type Outcome, toOutcome } from './Outcome.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { type ChainView, readHeights } from './readChain.ts'
import { findReceipt, type Mined, type OpenPayout, readMined } from './readMined.ts'
import { LOST_AFTER, type SettlementNotes } from './SettlementNotes.ts'

/**
 * The payments that another host shows too, alike and final, if several are configured. A single one could say that a holder is paid, and
 * the transaction that pays would not be sent again.
 */
export async function keepAgreed(
  context: PayoutContext,
  view: ChainView,
  { paid, notes, lastFinalBlock }: { paid: readonly Outcome[]; notes: SettlementNotes; lastFinalBlock: bigint | undefined },
): Promise<readonly Outcome[]> {
  if (votesNeeded(context.endpoints) < 2) return paid
  const { XCR_TOKEN_ADDRESS: token, XCR_CONFIRMATIONS: confirmations } = context.services.config
  const agreed: Outcome[] = []
  let left = paid
  for (const endpoint of context.endpoints.filter(({ url }) => hostOf(url) !== hostOf(view.endpoint.url))) {
    if (left.length === 0) break
    const payouts = left.map(({ payout }) => payout)
    const found = await readHeights(endpoint, confirmations)
      .then(({ finalBlock }) => readMined({ endpoint, finalBlock }, { payouts, token, lastFinalBlock }))
      // It does not answer.
      .catch(() => new Map<string, Mined>())
    const isShown = ({ payout, state, hash, ordinal }: Outcome): boolean => {
      const mined = found.get(payout.id)
      const other = mined?.isFinal && toOutcome(context, payout, mined)
      return other ? other.state === state && other.hash === hash && other.ordinal === ordinal : false
    }
    agreed.push(...left.filter(isShown))
    left = left.filter((outcome) => !isShown(outcome))
  }
  for (const { payout } of agreed) notes.unagreed.delete(payout.id)
  const waitsFor = left.map(({ payout }) => noteUnagreed(context, payout, notes))
  if (waitsFor.every((time) => time < LOST_AFTER)) context.endAlert('one host')
  else
    await context.alert(
      'one host',
      `One endpoint of the reward chain alone shows payouts as paid: ${left.length}. They count as paid once another one shows them.`,
    )
  return agreed
}

/** Notes that only one endpoint shows the payout's outcome. @returns since how many milliseconds; another host may only be a few blocks behind. */
function noteUnagreed({ services }: PayoutContext, payout: OpenPayout, { unagreed }: SettlementNotes): number {
  const now = services.clock.now()
  const since = unagreed.get(payout.id) ?? now
  unagreed.set(payout.id, since)
  return now.getTime() - since.getTime()
}

/**
 * Whether two hosts show the transaction that did not pay, alike and final. A single one could say so, keep the payment back, and send it once
 * it is refunded.
 */
export async function isAgreed(
  context: PayoutContext,
  { payout, hash, state }: Outcome,
  notes: SettlementNotes,
): Promise<boolean> {
  const { endpoints, services } = context
  const agreement = await readAgreedReceipt(endpoints, hash!)
  const isAlike = agreement.kind === 'agreed' && (state === 'cancelled' || !agreement.answer.succeeded)
  if (isAlike && (await readAgreedFinality(endpoints, agreement.answer, services.config.XCR_CONFIRMATIONS)).isFinal) {
    notes.unagreed.delete(payout.id)
    context.endAlert(`unagreed ${payout.id}`)
    return true
  }
  if (noteUnagreed(context, payout, notes) >= LOST_AFTER)
    await context.alert(
      `unagreed ${payout.id}`,
      `One endpoint of the reward chain says that ${payout.cause} was not paid, and no other confirms it. It is not refunded until two agree.`,
    )
  return false
}

/** Whether another endpoint shows the payment as mined: a refund needs all endpoints to agree. */
export async function isPaidElsewhere(context: PayoutContext, view: ChainView, payout: OpenPayout): Promise<boolean> {
  const { XCR_TOKEN_ADDRESS: token } = context.services.config
  const others = context.endpoints.filter((endpoint) => endpoint !== view.endpoint)
  const answers = await Promise.all(others.map((endpoint) => findReceipt(endpoint, payout, token).catch(() => undefined)))
  const isPaid = answers.some((mined) => mined?.attempt.kind === 'pay' && mined.receipt.succeeded)
  if (isPaid)
    await context.alert(
      `disagree ${payout.id}`,
      `The endpoints of the reward chain disagree: one says that ${payout.cause} was not paid, another that it was. It waits until they agree.`,
    )
  else context.endAlert(`disagree ${payout.id}`)
  return isPaid
}
