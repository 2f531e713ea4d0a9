import { DAY } from './dates.ts'

/** Within so many business days a deposit that waits for a person is promised to be dealt with. */
export const REVIEW_BUSINESS_DAYS = 5

/** The same time of day, so many days of Monday to Friday later, in UTC. */
export function addBusinessDays(at: Date, days: number): Date {
  let day = at
  for (let left = days; left > 0; ) {
    day = new Date(day.getTime() + DAY)
    const isWeekend = day.getUTCDay() === 0 || day.getUTCDay() === 6
    if (!isWeekend) left -= 1
  }
  return day
}
