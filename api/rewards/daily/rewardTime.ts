import { DAY, HOUR, utcDay } from '#shared/dates.ts'

/** Rewards are paid at 09:00 UTC, in product time. */
const PAYING_TIME = 9 * HOUR

/** The instant at which a day (YYYY-MM-DD) is paid: nodes active then earn the rate in force then. */
export const rewardInstant = (day: string): Date => new Date(Date.parse(`${day}T00:00:00.000Z`) + PAYING_TIME)

/** The last day whose 09:00 has come. */
export const lastDueDay = (productNow: Date): string => utcDay(new Date(productNow.getTime() - PAYING_TIME))

/** The first 09:00 at or after an instant: what becomes active at it is paid then. */
export function firstRewardAfter(instant: Date): Date {
  const last = lastDueDay(instant)
  const reward = rewardInstant(last)
  return reward >= instant ? reward : rewardInstant(dayAfter(last))
}

export const dayAfter = (day: string): string => utcDay(new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY))

/**
 * A query for the first instant after the 09:00 of the last closed day; null before the first. What becomes active, or comes into
 * force, must not do so before it. Whoever asks holds what `closeDay` waits for: the supply row, or `keepDaysOpen`.
 */
export const FIRST_INSTANT_OF_OPEN_DAY = `select (max(day) + ${PAYING_TIME + 1} * interval '1 ms') at time zone 'UTC' from reward_runs`
