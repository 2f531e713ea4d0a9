import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
import { bindSeenDeposits } from './bindSeenDeposits.ts'
import { storeDeposits } from './storeDeposits.ts'
import type { Watch } from './Watch.ts'

/** Stores what a reading found, and ties it to open requests. @returns how many deposits were not known before. */
export async function takeInTransfers(em: EntityManager, watch: Watch, transfers: readonly Transfer[]): Promise<number> {
  const { added, ofPayers } = await storeDeposits(em, transfers, watch.services.clock.productNow())
  await bindSeenDeposits(em, ofPayers)
  return added
}
