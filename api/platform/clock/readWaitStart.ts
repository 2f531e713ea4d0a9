import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { readDatabaseTime } from './readDatabaseTime.ts'

const TOLERANCE = 5 * MINUTE

/**
 * From when a wait that protects money counts: now, or the database's time if the clock of this machine is far behind it and would end the
 * wait early.
 *
 * @param now real time.
 */
export async function readWaitStart(em: EntityManager, now: Date): Promise<Date> {
  const database = await readDatabaseTime(em)
  return database.getTime() - now.getTime() > TOLERANCE ? database : now
}
