import type { Hash } from 'viem'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { type Fees, readFees } from '#api/platform/chain/readFees.ts'
import { broadcast } from './broadcast.ts'
import { isGasPriceTooHigh } from './isGasPriceTooHigh.ts'
import { lockSent, lockWithdrawals } from './lockSent.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { ChainView } from './readChain.ts'
import { lockWallet } from '../payoutWallets/stopWallet.ts'
import { storeTransactionHashes, type NewAttempt, storeAttempts } from './storePayouts.ts'

/** A payout whose nonce is unused as of the newest block, with its newest transaction. */
type WaitingPayout = Awaited<ReturnType<typeof readWaiting>>[number]

/** The interval at which the same bytes are resent, because a node may drop a transaction it accepted. */
const RESEND_AFTER = 10 * SECOND
/** After this time a transaction is replaced by one with higher fees. */
const STUCK_AFTER = MINUTE
/** Nodes require at least 10 % more for a replacement, some of them rounded. */
const raise = (fee: bigint): bigint => (fee * 1_125n) / 1_000n + 1n
/** The maximum of a replacement's fee, as a multiple of the chain's current fee. */
const MAX_FEE_MULTIPLE = 20n

/** Resends payouts that are signed and not mined, and replaces those that are stuck or cancelled at the same nonce. */
export async function sendPayouts(context: PayoutContext, view: ChainView): Promise<void> {
  const { waiting, toCancel, tooLow } = await resendPayouts(context, view)
  const now = context.services.clock.now().getTime()
  const stuck = waiting.filter(({ signedAt, open }) => open && now - signedAt.getTime() >= STUCK_AFTER)
  if (toCancel.length + tooLow.length + stuck.length === 0) return
  const asked = await readFees(view.endpoint)
  if (await isGasPriceTooHigh(context, asked)) return
  // Payouts queued behind a stuck one need no replacement.
  const replaced = new Set([
    ...toCancel,
    ...tooLow,
    ...stuck.filter(({ nonce, fees }) => nonce === view.mined || fees.maxFeePerGas < asked.maxFeePerGas / 2n),
  ])
  const replacements = await replace(
    context,
    [...replaced].filter(({ open }) => open),
    asked,
  )
  if (replacements.length > 0) {
    await context.step('stored')
    await broadcast(context, replacements)
  }
}

/** Resends the stored bytes of payouts that are not mined. Needs no key. */
export async function resendPayouts(context: PayoutContext, view: ChainView) {
  const waiting = await readWaiting(context, view.mined)
  const now = context.services.clock.now().getTime()
  const toCancel = waiting.filter((payout) => payout.cancelRequested && payout.kind === 'pay' && payout.open)
  const due = waiting.filter(
    ({ sentAt, id }) => (!sentAt || now - sentAt.getTime() >= RESEND_AFTER) && !toCancel.some((one) => one.id === id),
  )
  const refused = await broadcast(
    context,
    due.map((payout) => ({ ...payout, id: payout.attemptId, payout })),
  )
  return { waiting, toCancel, tooLow: refused.map(({ payout }) => payout) }
}

/**
 * All payouts whose nonce is unused at this endpoint's newest block. Includes settled ones: after a reorganisation deeper than the
 * confirmations, only their own bytes may be sent at that nonce.
 */
async function readWaiting(context: PayoutContext, mined: number) {
  const rows = await context.read
    .selectFrom('payouts as p')
    .innerJoin('payout_attempts as a', 'a.payout', 'p.id')
    .distinctOn('p.nonce')
    .select((eb) => [
      'p.id',
      'a.id as attemptId',
      'p.nonce',
      'p.withdrawal as withdrawalId',
      'p.recipient',
      'p.amount',
      eb('p.state', '=', 'sent').as('open'),
      'a.signedBytes',
      'a.hash',
      'a.kind',
      'a.signedAt',
      'a.sentAt',
      eb('p.cancelRequestedAt', 'is not', null).as('cancelRequested'),
      'a.maxFeePerGas',
      'a.maxPriorityFeePerGas',
    ])
    .where('p.wallet', '=', context.account.address)
    .where('p.nonce', '>=', mined)
    .where((eb) =>
      eb.or([
        eb('p.state', '=', 'sent'),
        eb.and([eb('p.state', 'in', ['paid', 'cancelled']), eb('a.hash', '=', eb.ref('p.finalHash'))]),
      ]),
    )
    .orderBy('p.nonce')
    .orderBy('a.id', 'desc')
    .execute()
  return rows.map(({ maxFeePerGas, maxPriorityFeePerGas, ...row }) => ({ ...row, fees: { maxFeePerGas, maxPriorityFeePerGas } }))
}

/** Signs and stores a transaction with higher fees at the same nonce. Only one of the two can be mined. */
async function replace(context: PayoutContext, payouts: readonly WaitingPayout[], asked: Fees) {
  const priced = payouts.map((payout) => ({
    payout,
    fees: {
      maxFeePerGas: larger(raise(payout.fees.maxFeePerGas), asked.maxFeePerGas),
      maxPriorityFeePerGas: larger(raise(payout.fees.maxPriorityFeePerGas), asked.maxPriorityFeePerGas),
    },
  }))
  const overLimit = priced.find(({ fees }) => fees.maxFeePerGas > asked.maxFeePerGas * MAX_FEE_MULTIPLE)
  if (overLimit)
    await context.alert(
      'fees',
      `Nonce ${overLimit.payout.nonce} of the payout wallet is not mined, though it offers ${MAX_FEE_MULTIPLE} times the usual fee.`,
    )
  else context.endAlert('fees')
  const limit = context.services.config.PAYOUT_MAX_GAS_PRICE
  const wanted = priced.filter(
    ({ fees }) => fees.maxFeePerGas <= asked.maxFeePerGas * MAX_FEE_MULTIPLE && fees.maxFeePerGas <= limit,
  )
  if (wanted.length === 0) return []

  return context.write(async (em) => {
    const withdrawals = wanted.flatMap(({ payout }) => payout.withdrawalId ?? [])
    await lockWithdrawals(em, withdrawals)
    const rows = await lockSent(
      em,
      wanted.map(({ payout }) => payout.id),
    )
    if ((await lockWallet(em, context.account.address)).stoppedBecause !== null) return []
    const cancels = new Map(rows.map(({ id, cancelRequestedAt }) => [id, cancelRequestedAt !== null]))
    const attempts: NewAttempt[] = []
    const shown: { withdrawalId: string; hash: Hash }[] = []
    for (const { payout, fees } of wanted) {
      const cancel = cancels.get(payout.id)
      if (cancel === undefined) continue
      const terms = { nonce: payout.nonce, gas: context.account.gasOf(payout.signedBytes), ...fees }
      const signed = cancel
        ? await context.account.signNothing(terms)
        : await context.account.signTransfer({ ...terms, recipient: payout.recipient, amount: payout.amount })
      attempts.push({ ...signed, ...fees, payoutId: payout.id, kind: cancel ? 'cancel' : 'pay' })
      if (!cancel && payout.withdrawalId) shown.push({ withdrawalId: payout.withdrawalId, hash: signed.hash })
    }
    await context.step('signed')
    await storeTransactionHashes(em, shown)
    return storeAttempts(em, { attempts, now: context.services.clock.now() })
  })
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
