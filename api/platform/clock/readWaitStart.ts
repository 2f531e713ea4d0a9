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
export const readWaitStart = async (em: EntityManager, now: Date): Promise<Date> => waitStartOf(now, await readDatabaseTime(em))

/** The same if the database's time is known. */
export const waitStartOf = (now: Date, database: Date): Date => (database.getTime() - now.getTime() > TOLERANCE ? database : now)
