import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '#api/platform/services.ts'
import { confirmByHand } from './confirmByHand.ts'
import type { OpenPurchase } from './decidePurchase.ts'
import { matchDeposit } from './matchDeposit.ts'

/**
 * Confirms a purchase as it is, with what was paid for it so far. A payment that is not final yet is not booked: the purchase stays owed
 * just that one. With none it stays owed a deposit of its amount.
 */
export async function approvePurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { purchase, deposits }: OpenPurchase,
): Promise<void> {
  const paid = deposits.filter(({ state }) => state === 'review')
  const latest = paid.at(-1) ?? deposits.findLast(({ blockNumber }) => blockNumber !== null)
  await confirmByHand(em, services, purchase, { hash: latest?.transactionHash ?? null, deposits: paid })
  for (const deposit of paid) matchDeposit(deposit, purchase, services.clock.now())
}
