import type { EntityManager } from '@mikro-orm/postgresql'
import type { Reservation } from '#shared/contract/purchases.ts'
import { Purchase } from '#api/entities/Purchase.ts'

/** The account's open reservation, unless it has expired. */
export async function findReservation(
  em: EntityManager,
  { userId, now }: { userId: string; now: Date },
): Promise<Reservation | null> {
  const purchase = await em.findOne(Purchase, { user: userId, status: 'reserved', expiresAt: { $gt: now } })
  return purchase && presentReservation(purchase)
}

const presentReservation = (purchase: Purchase): Reservation => ({
  id: purchase.id,
  requestedQuantity: purchase.requestedQuantity,
  unitPriceUsdt: purchase.unitPrice,
  purchaseAmountUsdt: purchase.amount,
  walletAddress: purchase.wallet!,
  depositAddress: purchase.depositAddress!,
  expiresAt: purchase.expiresAt!,
})
