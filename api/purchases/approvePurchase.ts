import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '../services.ts'
import { confirmByHand } from './confirmByHand.ts'
import type { OpenPurchase } from './decidePurchase.ts'
import { matchDeposit } from './matchDeposit.ts'

/** Confirms a purchase as it is, with whatever was paid for it so far; with nothing, it stays owed a deposit. */
export async function approvePurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { purchase, deposits }: OpenPurchase,
): Promise<void> {
  const paid = deposits.filter(({ blockNumber }) => blockNumber !== null)
  await confirmByHand(em, services, purchase, { hash: paid.at(-1)?.transactionHash ?? null, deposits: paid })
  for (const deposit of paid) matchDeposit(deposit, purchase, services.clock.now())
}
