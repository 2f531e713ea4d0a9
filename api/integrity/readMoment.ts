import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import type { Moment } from './Check.ts'

/** Both times, as a running role has them; of this machine's clock and the database's, the one that is behind. */
export async function readMoment(em: EntityManager): Promise<Moment> {
  const [row] = await sql<{ ahead: number; now: string }>(
    em,
    'select clock_offset_ms as ahead, clock_timestamp() as now from installation',
  )
  const now = new Date(Math.min(Date.now(), row ? new Date(row.now).getTime() : Infinity))
  return { now, productNow: new Date(now.getTime() + Number(row?.ahead ?? 0)) }
}
