import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
import { bindSeenDeposits } from './bindSeenDeposits.ts'
import { storeDeposits } from './storeDeposits.ts'
import type { Watch } from './Watch.ts'

/** Stores the transfers of a reading and links them to open requests. @returns the number of new deposits. */
export async function storeTransfers(
  em: EntityManager,
  watch: Watch,
  transfers: readonly Transfer[],
  { isFinal }: { isFinal: boolean },
): Promise<number> {
  const firstSeenAt = watch.services.clock.productNow()
  const { added, ofPayers } = await storeDeposits(em, transfers, { firstSeenAt, mayPostpone: isFinal })
  await bindSeenDeposits(em, watch.services, ofPayers)
  return added
}
