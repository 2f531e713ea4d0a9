import { formatAmount } from '#shared/amount.ts'
import type { PaymentStatus } from '#shared/contract/purchases.ts'
import { describeWait } from '#api/platform/describeWait.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'

export const salesOff = () => refusal(409, 'sales_off', 'Sales are stopped at the moment.')
export const salesNotStarted = (startsAt: string) =>
  refusal(409, 'sales_not_started', 'Sales have not started yet.', { startsAt })
export const insufficientSupply = (remaining: number) =>
  refusal(409, 'insufficient_supply', 'Insufficient remaining node quantity.', { remaining: String(remaining) })
/** `held` is the part of `needed` that the account and its wallet already hold unpaid. */
export function insufficientUsdt({ needed, available, held }: Record<'needed' | 'available' | 'held', bigint>): DomainError {
  const details = {
    needed: formatAmount(needed),
    available: formatAmount(available),
    missing: formatAmount(needed - available),
    held: formatAmount(held),
  }
  const message =
    held === 0n
      ? `You need ${details.needed} USDT to complete this purchase.`
      : `Including your unpaid purchases, you need ${details.needed} USDT. Your wallet has ${details.available} USDT, so ${details.missing} USDT is missing.`
  return refusal(409, 'insufficient_usdt', message, details)
}
export const balanceUnknown = (maxNodes: number) =>
  new DomainError(
    'chain_unavailable',
    `Your USDT balance can't be checked right now. Until it can, you can reserve at most ${maxNodes} unpaid nodes. Please try again.`,
    { status: 503, retryAfter: 5 },
  )
export const walletUnproven = (maxNodes: number) =>
  refusal(
    409,
    'wallet_unproven',
    `Your wallet has not been confirmed by a signature. Until it is, you can reserve at most ${maxNodes} unpaid nodes. Please connect it again and sign.`,
  )
export const walletRequired = () => refusal(409, 'wallet_required', 'Please connect your wallet from the top right corner.')
export const otpNotEnabled = () =>
  refusal(403, 'otp_not_enabled', 'You must set up Google Authenticator before making a purchase.')
export const priceChanged = (price: bigint) =>
  refusal(409, 'price_changed', 'The price has changed. Please check the new total.', { nodePrice: formatAmount(price) })
export const wrongAmount = () => refusal(400, 'amount_mismatch', 'The amount does not equal quantity times price.')
export const paymentSeen = () =>
  refusal(409, 'reservation_conflict', 'A payment for your reservation is being confirmed. Please wait.')
export const transactionUsed = () => refusal(409, 'transaction_used', 'This transaction has already paid for another purchase.')
export const transactionForeign = () => refusal(409, 'transaction_foreign', 'This transaction was sent from another wallet.')

export function reservationsPaused(until: Date, now: Date): DomainError {
  const seconds = Math.ceil((until.getTime() - now.getTime()) / 1_000)
  const wait = describeWait(seconds)
  return new DomainError(
    'too_many_reservations',
    `Too many of your reservations were not paid in full. Please try again in ${wait}.`,
    {
      status: 429,
      retryAfter: seconds,
    },
  )
}

export const accountChanging = () =>
  refusal(409, 'request_in_progress', 'Your account is being changed. Please try again in a moment.')
export const purchaseUnknown = () => refusal(404, 'not_found', 'There is no such purchase.')
export const purchaseClosed = (status: PaymentStatus) =>
  refusal(409, 'purchase_closed', `This purchase is ${status} and can no longer be changed.`, { status })
export const paymentArriving = () =>
  refusal(409, 'request_in_progress', 'A payment for this purchase is being processed. Please check again in a moment.')
export const refundUnknown = () =>
  refusal(
    409,
    'refund_unknown',
    'The database was restored after a payment for this purchase. Look up whether it was refunded, then mark it as refunded or assign it.',
  )
export const transactionUnsuitable = (message: string) => refusal(409, 'transaction_foreign', message)
export const hashUsed = () => refusal(409, 'transaction_used', 'This transaction has already been used.')
