import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'

/** How well a transfer fits a purchase: that it is of its wallet counts more than its amount. If a transaction has several, the best pays. */
export const fitOf = (
  { wallet, amount }: Pick<Purchase, 'wallet' | 'amount'>,
  transfer: Pick<Deposit, 'sender' | 'amount'>,
): number => (transfer.sender === wallet ? 2 : 0) + (transfer.amount === amount ? 1 : 0)
