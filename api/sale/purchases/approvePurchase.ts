import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '#api/platform/services.ts'
import { confirmByHand } from './confirmByHand.ts'
import type { OpenPurchase } from './decidePurchase.ts'
import { markMatched } from './markMatched.ts'

/**
 * Confirms a purchase with the final payments received so far. A payment that is not final yet is not booked: the purchase stays owed that
 * payment. Without any payment it stays owed a deposit of its amount.
 */
export async function approvePurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { purchase, deposits }: OpenPurchase,
): Promise<void> {
  const paid = deposits.filter(({ state }) => state === 'review')
  const latest = paid.at(-1) ?? deposits.findLast(({ blockNumber }) => blockNumber !== null)
  await confirmByHand(em, services, purchase, { hash: latest?.transactionHash ?? null, deposits: paid })
  for (const deposit of paid) markMatched(deposit, purchase, services.clock.now())
}
