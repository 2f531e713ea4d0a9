import type { EntityManager } from '@mikro-orm/postgresql'
import { readDatabaseTime } from './readDatabaseTime.ts'

/** `Clock.dueNow` of this machine. */
export async function dueNow(em: EntityManager): Promise<Date> {
  const database = await readDatabaseTime(em)
  return new Date(Math.min(Date.now(), database.getTime()))
}
