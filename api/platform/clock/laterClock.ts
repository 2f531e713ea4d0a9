import { sql } from 'kysely'

/**
 * The later of this machine's clock and the database's, in SQL: for a time that is compared with those of other machines or of the database,
 * and must not seem older than it is.
 *
 * @param now real time.
 */
export const laterClock = (now: Date) => sql<Date>`greatest(${now}::timestamptz, clock_timestamp())`
