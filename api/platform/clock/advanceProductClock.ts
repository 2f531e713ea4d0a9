import type { EntityManager } from '@mikro-orm/postgresql'
import { getConfig } from '#shared/contract/settings.ts'
import { getUserNodes } from '#shared/contract/nodes.ts'
import { HOUR } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { recordChange } from '../events/recordChange.ts'

/** Moves product time forward for every role of this installation. A demo's alone; nothing ever moves it back. */
export async function advanceProductClock(em: EntityManager, { hours }: { hours: number }): Promise<void> {
  await sql(em, 'update installation set clock_offset_ms = clock_offset_ms + $1 where id = 1', [Math.round(hours * HOUR)])
  await recordChange(em, { keys: [getConfig.path, getUserNodes.path] })
}
