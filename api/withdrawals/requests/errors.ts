import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { formatAmount } from '#shared/amount.ts'
import { withdrawalTexts } from '#shared/withdrawalRules.ts'
import { refusal } from '#api/platform/errors.ts'

export const amountInvalid = (message: string) => refusal(400, 'withdrawal_amount_invalid', message)
export const insufficientXcr = (available: bigint) =>
  refusal(409, 'insufficient_xcr', withdrawalTexts.insufficient, { available: formatAmount(available) })
export const debtOpen = (owed: bigint) =>
  refusal(
    409,
    'withdrawal_debt',
    `A payment to your wallet exceeded your balance, and ${formatAmount(owed)} XCR of it are still owed. Your daily rewards pay this off; you can withdraw again after that.`,
    { owed: formatAmount(owed) },
  )
export const walletRequired = () => refusal(409, 'wallet_required', withdrawalTexts.walletRequired)
export const otpNotEnabled = () => refusal(403, 'otp_not_enabled', withdrawalTexts.otpNotEnabled)
export const messageInvalid = (message: string) => refusal(400, 'withdrawal_message_invalid', message)
export const messageUsed = () =>
  refusal(409, 'withdrawal_message_used', 'This signed message was used for a withdrawal already. Please sign again.')
export const feeChanged = (fee: bigint) =>
  refusal(409, 'withdrawal_fee_changed', `The withdrawal fee is ${formatAmount(fee)} XCR now. Please sign again.`, {
    fee: formatAmount(fee),
  })
export const otherWallet = () =>
  messageInvalid('The message was signed for another wallet than the registered one. Please check your wallet and sign again.')
export const withdrawalUnknown = () => refusal(404, 'not_found', 'There is no such withdrawal.')
export const withdrawalClosed = (status: WithdrawalStatus) =>
  refusal(409, 'withdrawal_closed', `This withdrawal is ${status}: that is no longer possible.`, { status })
export const alreadySigned = (status: WithdrawalStatus) =>
  refusal(409, 'withdrawal_closed', 'A transaction that pays this withdrawal is signed: only that one may pay it.', { status })
export const nonceLost = () =>
  refusal(
    409,
    'withdrawal_closed',
    'Its transaction can never be mined: its nonce was used by another one. It can only be rejected.',
    {
      status: 'manual_review',
    },
  )
export const transferUsed = () => refusal(409, 'transaction_used', 'This transaction pays another withdrawal.')
export const transferUnsuitable = (message: string) => refusal(409, 'transaction_foreign', message)
export const cancelling = () =>
  refusal(409, 'withdrawal_closed', 'This withdrawal was rejected already: it is refunded once its nonce is used up.', {
    status: 'manual_review',
  })
export const reconciliationRequired = () =>
  refusal(
    409,
    'withdrawal_closed',
    'Payouts are stopped, and this withdrawal may have been paid: `npm run admin -- reconcile-payouts` finds out. Reject it after that.',
    { status: 'manual_review' },
  )
