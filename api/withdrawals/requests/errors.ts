import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { formatAmount } from '#shared/amount.ts'
import { describeLimit, withdrawalTexts } from '#shared/withdrawalRules.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'

export const amountInvalid = (message: string) => refusal(400, 'withdrawal_amount_invalid', message)
export const insufficientXcr = (available: bigint) =>
  refusal(409, 'insufficient_xcr', withdrawalTexts.insufficient, { available: formatAmount(available) })
export const debtOpen = (owed: bigint) =>
  refusal(
    409,
    'withdrawal_debt',
    `A payment to your wallet exceeded your balance, and you still owe ${formatAmount(owed)} XCR. Your daily rewards pay this off. You can withdraw again after that.`,
    { owed: formatAmount(owed) },
  )
export const aboveDailyLimit = ({ limit, left, growsAt }: { limit: bigint; left: bigint; growsAt: Date | null }) =>
  refusal(409, 'withdrawal_daily_limit', describeLimit(limit, left), {
    limit: formatAmount(limit),
    left: formatAmount(left),
    ...(growsAt && { growsAt: growsAt.toISOString() }),
  })
export const walletRequired = () => refusal(409, 'wallet_required', withdrawalTexts.walletRequired)
export const otpNotEnabled = () => refusal(403, 'otp_not_enabled', withdrawalTexts.otpNotEnabled)
export const messageInvalid = (message: string) => refusal(400, 'withdrawal_message_invalid', message)
export const messageUsed = () =>
  refusal(409, 'withdrawal_message_used', 'This signed message has already been used for a withdrawal. Please sign again.')
export const feeChanged = (fee: bigint) =>
  refusal(409, 'withdrawal_fee_changed', `The withdrawal fee is now ${formatAmount(fee)} XCR. Please sign again.`, {
    fee: formatAmount(fee),
  })
export const otherWallet = () =>
  messageInvalid(
    'The message was signed for a different wallet than the registered one. Please check your wallet and sign again.',
  )
export const withdrawalUnknown = () => refusal(404, 'not_found', 'There is no such withdrawal.')
export const withdrawalClosed = (status: WithdrawalStatus) =>
  refusal(409, 'withdrawal_closed', `This withdrawal is ${status} and can no longer be changed.`, { status })
export const alreadySigned = (status: WithdrawalStatus) =>
  refusal(409, 'withdrawal_closed', 'A transaction for this withdrawal is already signed. Only that transaction may pay it.', {
    status,
  })
export const nonceLost = () =>
  refusal(
    409,
    'withdrawal_closed',
    'Its transaction can never be mined because another one used its nonce. It can only be rejected.',
    {
      status: 'manual_review',
    },
  )
export const payoutsStopped = () =>
  refusal(409, 'payouts_stopped', 'Payouts are being checked, so nothing can be cancelled right now. Please try again later.')
export const payoutsUnknown = () =>
  new DomainError('chain_unavailable', "We can't check right now whether it was paid. Please try again.", {
    status: 503,
    retryAfter: 5,
  })
export const holdReasonRequired = () =>
  refusal(
    400,
    'reason_required',
    'This withdrawal is on hold because the account was changed. Please enter a reason to approve it now.',
  )
export const ownerFrozen = () =>
  refusal(
    409,
    'account_frozen',
    'The account of this withdrawal is frozen. It can be approved once the account is thawed, or rejected now.',
  )
export const transferUsed = () => refusal(409, 'transaction_used', 'This transaction pays another withdrawal.')
export const transferUnsuitable = (message: string) => refusal(409, 'transaction_foreign', message)
export const cancelling = () =>
  refusal(409, 'withdrawal_closed', 'This withdrawal was already rejected. It will be refunded once its nonce is used.', {
    status: 'manual_review',
  })
export const reconciliationRequired = () =>
  refusal(
    409,
    'withdrawal_closed',
    'Payouts are stopped, and this withdrawal may have been paid. Run `npm run admin -- reconcile-payouts` to check before you reject it.',
    { status: 'manual_review' },
  )
