import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { closeRequest } from './closeRequest.ts'
import { countUnpaid, heldTime, lockBeforePurchase } from './countUnpaid.ts'
import { paymentSeen } from './errors.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'

/**
 * Releases the account's open reservation, if there is one.
 *
 * @throws reservation_conflict if a payment for it is already on the chain.
 */
export async function releaseReservation(em: EntityManager, { userId, now }: { userId: string; now: Date }): Promise<void> {
  await lockBeforePurchase(em, userId)
  const purchase = await em.findOne(Purchase, { user: userId, status: 'reserved' }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!purchase) return
  if (await em.count(Deposit, { purchase, blockNumber: { $ne: null } })) throw paymentSeen()
  closeRequest(purchase, await lockSupply(em), { reason: 'released', now })
  await countUnpaid(em, [{ userId, heldFor: heldTime(purchase.openedAt, now) }], now)
  await recordPurchaseChange(em, userId)
}
