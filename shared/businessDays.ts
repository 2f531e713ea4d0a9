import { DAY } from './dates.ts'

/** Business days within which a deposit in review must be handled. */
export const REVIEW_BUSINESS_DAYS = 5

/** The same time of day, this many weekdays later, in UTC. */
export function addBusinessDays(at: Date, days: number): Date {
  let day = at
  for (let left = days; left > 0; ) {
    day = new Date(day.getTime() + DAY)
    const isWeekend = day.getUTCDay() === 0 || day.getUTCDay() === 6
    if (!isWeekend) left -= 1
  }
  return day
}
