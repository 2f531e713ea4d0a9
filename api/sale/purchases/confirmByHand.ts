import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { confirmPurchase } from './confirmPurchase.ts'
import { insufficientSupply } from './errors.ts'
import { tellReassigned } from './tellReassigned.ts'

export interface AcceptedPayment {
  hash: Hash | null
  /** The deposits that the administrator accepts as payment. If there are none, the purchase stays owed one (money.md 9). */
  deposits: readonly Deposit[]
}

/**
 * Allocates the nodes of a purchase on an administrator's decision. The caller has locked the row and updates the deposits.
 *
 * @throws 409 `insufficient_supply`
 */
export async function confirmByHand(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  purchase: Purchase,
  { hash, deposits }: AcceptedPayment,
): Promise<void> {
  // The last deposit completed the payment.
  const seenAt = deposits.map(({ firstSeenAt }) => firstSeenAt.getTime())
  const firstSeenAt = seenAt.length > 0 ? new Date(Math.max(...seenAt)) : services.clock.productNow()
  if (!(await confirmPurchase(em, services, purchase, { hash, firstSeenAt, deposits })))
    throw insufficientSupply((await lockSupply(em)).remaining() + purchase.heldQuantity)
  purchase.owedDeposit = deposits.length === 0
  await tellReassigned(em, services, { deposits, purchase })
}
