import { sql } from '#api/platform/db/sql.ts'
import type { TestDatabase } from './database.ts'

/** Ends the window of every rate limit. */
export const endRateLimits = ({ orm }: Pick<TestDatabase, 'orm'>) => sql(orm.em.fork(), 'update rate_limits set expire = 1')
