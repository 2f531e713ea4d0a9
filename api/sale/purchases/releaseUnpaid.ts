import type { EntityManager } from '@mikro-orm/postgresql'
import { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { readAmountDue } from './amountDue.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'

/**
 * Updates a purchase in review that is no longer paid in full because a deposit was taken from it: it releases its supply, and what is left
 * is a part that further money would complete, so it is not refunded while the purchase is open (money.md 8). The caller has locked its row
 * and its deposits.
 */
export async function releaseUnpaid(em: EntityManager, purchase: Purchase): Promise<void> {
  await em.flush()
  if (purchase.status === 'manual_review') {
    const paid = await em.find(Deposit, { purchase, sender: purchase.wallet!, state: ['matched', 'review'] })
    if (paid.reduce((sum, { amount }) => sum + amount, 0n) < (await readAmountDue(em, purchase))) {
      for (const part of paid) if (part.state === 'review') part.reviewReason = 'underpaid'
      if (purchase.heldQuantity > 0) releaseSupply(await lockSupply(em), purchase)
    }
    await em.flush()
  }
  await recordPurchaseChange(em, purchase.user.id)
}
