import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transfer } from '../chain/readTransfers.ts'
import { bindSeenDeposits } from './bindSeenDeposits.ts'
import { storeDeposits, thawNodes } from './storeDeposits.ts'
import type { Watch } from './Watch.ts'

/** Stores what a reading found, and does what follows from it. @returns how many deposits were not known before. */
export async function takeInTransfers(em: EntityManager, watch: Watch, transfers: readonly Transfer[]): Promise<number> {
  const { added, notable } = await storeDeposits(em, transfers, watch.services.clock.productNow())
  await thawNodes(
    em,
    notable.filter(({ returned }) => returned).flatMap(({ purchaseId }) => purchaseId ?? []),
  )
  await bindSeenDeposits(
    em,
    notable.map(({ id }) => id),
  )
  for (const { id } of notable.filter(({ changed }) => changed)) {
    watch.alertOnce(
      id,
      `The orphaned deposit ${id} was mined again as something else. It stays orphaned until somebody has looked.`,
    )
  }
  return added
}
