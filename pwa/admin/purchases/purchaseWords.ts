import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import type { ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Purchase, PurchaseResult } from '#shared/contract/purchases.ts'
import { type Message, msg, t } from '#pwa/i18n/t.ts'
import { countNodes } from '../countNodes.ts'

/** "30 USDT", exact. */
export const formatUsdt = (amount: bigint): string => `${formatAmount(amount, { grouped: true })} USDT`

/** The subject of a dialog: "purchase of 10 nodes by a@b.c". */
export const namePurchase = ({ finalQuantity, requestedQuantity, user }: Purchase): string =>
  t('purchase of {nodes} by {email}', { nodes: countNodes(finalQuantity ?? requestedQuantity), email: user.email })

/** Shown beside a payment's status; the tooltip has the server's value. */
export const resultWords: Record<PurchaseResult, Message> = {
  normal: msg('Normal'),
  amount_mismatch: msg('Amount mismatch'),
  wallet_mismatch: msg('Wallet mismatch'),
  insufficient_supply: msg('Insufficient supply'),
  late_payment: msg('Late payment'),
}

/** Why a purchase is in review. */
export const waitingWords: Record<PurchaseResult, Message> = {
  normal: msg('It needs a manual decision.'),
  amount_mismatch: msg('The amount received does not match the purchase price.'),
  wallet_mismatch: msg('The payment came from a different wallet than the registered one.'),
  insufficient_supply: msg('Fewer nodes were left than requested when the payment arrived.'),
  late_payment: msg('The payment arrived after the purchase expired.'),
}

/** Why a deposit is in review. */
export const reasonWords: Record<ReviewDeposit['reason'], Message> = {
  underpaid: msg('Less was received than the purchase costs.'),
  overpaid: msg('More was received than the purchase costs.'),
  late: msg('It arrived after the purchase expired.'),
  wrong_wallet: msg('It came from a different wallet than the registered one.'),
  insufficient_supply: msg('Fewer nodes were left than it pays for.'),
  unmatched: msg('It does not match any purchase.'),
  orphaned: msg('It paid for nodes and then disappeared from the chain. The nodes are frozen until it returns.'),
}

/** Money rule 42. */
export const restoredText = (): string =>
  t('The database was restored after this payment, which may have been refunded before. Look it up first.')

/** A deposit, or the first of several deposits of one sender that are decided together. */
export interface DecidedDeposit extends ReviewDeposit {
  /** Ids of the other deposits. */
  others?: readonly string[]
}

/** "payment of 30 USDT from 0x8f3a...2b3c", or "3 payments from 0x8f3a...2b3c". */
export const nameDeposit = ({ amount, sender, others = [] }: DecidedDeposit): string =>
  others.length > 0
    ? t('{count} payments from {address}', { count: others.length + 1, address: shorten(sender) })
    : t('payment of {amount} from {address}', { amount: formatUsdt(amount), address: shorten(sender) })

/** The other deposits' ids, for the request. */
export const withOthers = ({ others = [] }: DecidedDeposit): { others?: string[] } =>
  others.length > 0 ? { others: [...others] } : {}
