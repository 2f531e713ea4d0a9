import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'

/** Marks a deposit as the payment of a purchase. The caller has locked both rows. */
export function markMatched(deposit: Deposit, purchase: Purchase, now: Date): void {
  deposit.state = 'matched'
  deposit.reviewReason = null
  deposit.closedAt = now
  attachDeposit(deposit, purchase)
}

export function attachDeposit(deposit: Deposit, purchase: Purchase): void {
  Object.assign(deposit, { purchase, user: purchase.user })
}
