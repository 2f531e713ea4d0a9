import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { confirmPurchase } from './confirmPurchase.ts'
import { insufficientSupply } from './errors.ts'

export interface AcceptedPayment {
  hash: Hash | null
  /** Those that a person takes for its payment. Without any it stays owed one (money.md 9). */
  deposits: readonly Deposit[]
}

/**
 * Allocates the nodes of a purchase, whose row the caller has locked, because a person says so. What becomes of the deposits is the
 * caller's.
 *
 * @throws 409 `insufficient_supply`
 */
export async function confirmByHand(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  purchase: Purchase,
  { hash, deposits }: AcceptedPayment,
): Promise<void> {
  // The one that came last completed it.
  const seenAt = deposits.map(({ firstSeenAt }) => firstSeenAt.getTime())
  const firstSeenAt = seenAt.length > 0 ? new Date(Math.max(...seenAt)) : services.clock.productNow()
  if (!(await confirmPurchase(em, services, purchase, { hash, firstSeenAt })))
    throw insufficientSupply((await lockSupply(em)).remaining() + purchase.heldQuantity)
  purchase.owedDeposit = deposits.length === 0
}
