import { sql } from 'kysely'
import { MINUTE, SECOND } from '#shared/dates.ts'

/** What the outboxes of mails and push messages share: a row is leased, sent outside of transactions, and retried until it is sent. */

/** The database's time, by which rows become due: a process whose clock is ahead would make them wait. */
export const databaseNow = sql<Date>`now()`
export const databaseTimeIn = (milliseconds: number) => sql<Date>`now() + make_interval(secs => ${milliseconds / SECOND})`

/** The lease on a row that is being sent. If the worker dies, another one retries it after this time. */
export const LEASE = 2 * MINUTE

/** The pause after a failed attempt: ten seconds at first, then twice the one before, half an hour at most. */
export const pauseAfter = (attempts: number): number => Math.min(30 * MINUTE, 5 * SECOND * 2 ** Math.min(attempts, 10))
