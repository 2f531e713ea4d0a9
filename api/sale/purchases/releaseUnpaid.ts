import type { EntityManager } from '@mikro-orm/postgresql'
import { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'

/**
 * Releases the supply of a purchase in review that is no longer paid in full because a deposit was taken from it. The caller has locked its
 * row.
 */
export async function releaseUnpaid(em: EntityManager, purchase: Purchase): Promise<void> {
  await em.flush()
  if (purchase.status === 'manual_review' && purchase.heldQuantity > 0) {
    const paid = await em.find(Deposit, { purchase, sender: purchase.wallet!, state: ['matched', 'review'] })
    if (paid.reduce((sum, { amount }) => sum + amount, 0n) < purchase.amount) releaseSupply(await lockSupply(em), purchase)
    await em.flush()
  }
  await recordPurchaseChange(em, purchase.user.id)
}
