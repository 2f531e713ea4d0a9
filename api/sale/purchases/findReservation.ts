import { sql } from 'kysely'
import type { Reservation } from '#shared/contract/purchases.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { query } from '#api/entities/tables.ts'
import { createBatcher } from '#api/platform/db/createBatcher.ts'
import type { Services } from '#api/platform/services.ts'

/** Returns a function that finds an account's open reservation, unless it has expired. Concurrent calls share a statement. */
export function createFindReservation({
  orm,
  clock,
}: Pick<Services, 'orm' | 'clock'>): (userId: string) => Promise<Reservation | null> {
  return createBatcher<string, Reservation | null>({
    maxSize: 200,
    async run(userIds) {
      const rows = await query(orm.em.fork())
        .selectFrom('purchases')
        .select(['id', 'user', 'requestedQuantity', 'unitPrice', 'amount', 'wallet', 'depositAddress', 'expiresAt'])
        .where('user', '=', sql<string>`any(${userIds}::uuid[])`)
        .where('status', '=', 'reserved')
        .where('expiresAt', '>', clock.now())
        .execute()
      const found = new Map(rows.map((row) => [row.user, presentReservation(row)]))
      return userIds.map((userId) => found.get(userId) ?? null)
    },
  })
}

type ReservedRow = Pick<Purchase, 'id' | 'requestedQuantity' | 'unitPrice' | 'amount' | 'wallet' | 'depositAddress' | 'expiresAt'>

const presentReservation = (purchase: ReservedRow): Reservation => ({
  id: purchase.id,
  requestedQuantity: purchase.requestedQuantity,
  unitPriceUsdt: purchase.unitPrice,
  purchaseAmountUsdt: purchase.amount,
  walletAddress: purchase.wallet!,
  depositAddress: purchase.depositAddress!,
  expiresAt: purchase.expiresAt!,
})
