import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import type { Moment } from './Check.ts'

/** Both times, as a running role has them. */
export async function readMoment(em: EntityManager): Promise<Moment> {
  const [row] = await sql<{ ahead: string }>(em, 'select clock_offset_ms as ahead from installation')
  const now = new Date()
  return { now, productNow: new Date(now.getTime() + Number(row?.ahead ?? 0)) }
}
