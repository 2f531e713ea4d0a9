import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '../tables/tables.ts'

/** The database's clock, which all machines share. */
export async function readDatabaseTime(em: EntityManager): Promise<Date> {
  const { now } = await query(em).selectNoFrom(sql<Date>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow()
  return now
}
