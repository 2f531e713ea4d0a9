import { DAY, HOUR, utcDay } from './dates.ts'

/** Rewards are paid at 09:00 UTC, in product time. */
export const PAYOUT_TIME_OF_DAY = 9 * HOUR

/** The instant at which a day (YYYY-MM-DD) is paid: the nodes active then earn the rate in force then. */
export const rewardInstant = (day: string): Date => new Date(Date.parse(`${day}T00:00:00.000Z`) + PAYOUT_TIME_OF_DAY)

/** The last day whose 09:00 has passed. */
export const lastDueDay = (productNow: Date): string => utcDay(new Date(productNow.getTime() - PAYOUT_TIME_OF_DAY))

/** The first 09:00 at or after an instant: the first payout of a node that becomes active then. */
export function firstRewardAfter(instant: Date): Date {
  const last = lastDueDay(instant)
  const reward = rewardInstant(last)
  return reward >= instant ? reward : rewardInstant(dayAfter(last))
}

export const dayAfter = (day: string): string => utcDay(new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY))

export const dayBefore = (day: string): string => utcDay(new Date(Date.parse(`${day}T00:00:00.000Z`) - DAY))
