import type { EntityManager } from '@mikro-orm/postgresql'
import { getConfig } from '#shared/contract/settings.ts'
import { getUserNodes } from '#shared/contract/nodes.ts'
import { HOUR } from '#shared/dates.ts'
import { recordChange } from '../events/recordChange.ts'
import { query } from '../tables/tables.ts'

/** Moves product time forward for every role of a demo. Product time never moves back. */
export async function advanceProductClock(em: EntityManager, { hours }: { hours: number }): Promise<void> {
  await query(em)
    .updateTable('installation')
    .set((eb) => ({ clockOffsetMs: eb('clockOffsetMs', '+', Math.round(hours * HOUR)) }))
    .where('id', '=', 1)
    .execute()
  await recordChange(em, { keys: [getConfig.path, getUserNodes.path] })
}
