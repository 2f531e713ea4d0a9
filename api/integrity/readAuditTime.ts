import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import type { AuditTime } from './Check.ts'

/** Real time and product time. Real time is the earlier of this machine's clock and the database's. */
export async function readAuditTime(em: EntityManager): Promise<AuditTime> {
  const [row] = await sql<{ ahead: number; now: string }>(
    em,
    'select clock_offset_ms as ahead, clock_timestamp() as now from installation',
  )
  const now = new Date(Math.min(Date.now(), row ? new Date(row.now).getTime() : Infinity))
  return { now, productNow: new Date(now.getTime() + Number(row?.ahead ?? 0)) }
}
