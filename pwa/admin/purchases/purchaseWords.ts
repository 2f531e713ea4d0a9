import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import type { ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Purchase, PurchaseResult } from '#shared/contract/purchases.ts'
import { countNodes } from '../countNodes.ts'

/** "30 USDT", exact. */
export const sayUsdt = (amount: bigint): string => `${formatAmount(amount, { grouped: true })} USDT`

/** What a dialog is about: "purchase of 10 nodes by a@b.c". */
export const namePurchase = ({ finalQuantity, requestedQuantity, user }: Purchase): string =>
  `purchase of ${countNodes(finalQuantity ?? requestedQuantity)} by ${user.email}`

/** Beside the status of a payment; the server's own word is in the tooltip. */
export const resultWords: Record<PurchaseResult, string> = {
  normal: 'Normal',
  amount_mismatch: 'Amount mismatch',
  wallet_mismatch: 'Wallet mismatch',
  insufficient_supply: 'Insufficient supply',
  late_payment: 'Late payment',
}

/** Why a purchase waits for a person. */
export const waitingWords: Record<PurchaseResult, string> = {
  normal: 'It was sent to a person to decide.',
  amount_mismatch: 'The amount that came is not what the purchase costs.',
  wallet_mismatch: 'The payment came from another wallet than the one registered.',
  insufficient_supply: 'Fewer nodes were left than it asks for when the payment came.',
  late_payment: 'The payment came after the purchase had run out.',
}

/** Why a deposit waits for a person. */
export const reasonWords: Record<ReviewDeposit['reason'], string> = {
  underpaid: 'Less came than the purchase costs.',
  overpaid: 'More came than the purchase costs.',
  late: 'It came after the purchase had run out.',
  wrong_wallet: 'It came from another wallet than the one registered.',
  insufficient_supply: 'Fewer nodes were left than it pays for.',
  unmatched: 'It belongs to no purchase that is known.',
  orphaned: 'It paid for nodes and has vanished from the chain. They are frozen until it comes back.',
}

/** "payment of 30 USDT from 0x8f3a...2b3c". */
export const nameDeposit = ({ amount, sender }: ReviewDeposit): string => `payment of ${sayUsdt(amount)} from ${shorten(sender)}`
