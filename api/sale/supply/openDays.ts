import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYOUT_TIME_OF_DAY } from '#shared/rewardTime.ts'
import { lockNamed, shareUntilCommit } from '#api/platform/db/advisoryLocks.ts'

/** The advisory lock that a day is closed under. */
export const DAY_LOCK = lockNamed('daily-rate')

/** Until this transaction ends, no day is closed. */
export async function keepDaysOpen(em: EntityManager): Promise<void> {
  await shareUntilCommit(em, DAY_LOCK)
}

/**
 * A query for the first instant after the 09:00 of the last closed day; null before the first. What becomes active, or comes into
 * force, must not do so before it. The caller holds what closing a day waits for: the supply row, or `keepDaysOpen`.
 */
export const FIRST_INSTANT_OF_OPEN_DAY = `select (max(day) + ${PAYOUT_TIME_OF_DAY + 1} * interval '1 ms') at time zone 'UTC' from reward_runs`
