import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYOUT_TIME_OF_DAY } from '#shared/rewardTime.ts'
import { lockNamed, shareUntilCommit } from '#api/platform/db/advisoryLocks.ts'

/** The advisory lock taken to close a day. */
export const DAY_LOCK = lockNamed('daily-rate')

/** Prevents days from being closed until this transaction ends. */
export async function keepDaysOpen(em: EntityManager): Promise<void> {
  await shareUntilCommit(em, DAY_LOCK)
}

/**
 * A query for the first instant after 09:00 of the last closed day; null if no day is closed. Nodes must not become active and rates not
 * come into force before it. The caller holds a lock that closing a day waits for: the supply row, or `keepDaysOpen`.
 */
export const FIRST_INSTANT_OF_OPEN_DAY = `select (max(day) + ${PAYOUT_TIME_OF_DAY + 1} * interval '1 ms') at time zone 'UTC' from reward_runs`
