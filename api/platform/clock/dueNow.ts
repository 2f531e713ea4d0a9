import type { EntityManager } from '@mikro-orm/postgresql'
import { type RawBuilder, sql } from 'kysely'
import { query } from '../tables/tables.ts'

/** `Clock.dueTime` of this machine. */
export const dueTime = (): RawBuilder<Date> => sql<Date>`least(${new Date()}::timestamptz, clock_timestamp())`

/** `Clock.dueNow` of this machine. */
export async function dueNow(em: EntityManager): Promise<Date> {
  const { now } = await query(em).selectNoFrom(dueTime().as('now')).executeTakeFirstOrThrow()
  return now
}
