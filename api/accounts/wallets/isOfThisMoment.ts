import { MINUTE } from '#shared/dates.ts'

/** The tolerance for the time in a signed message, in the past and in the future. */
const OLDEST = 10 * MINUTE
const NEWEST = 1 * MINUTE

/** Whether a message was signed just now. @param now real time. */
export function isOfThisMoment(timestamp: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(timestamp)
  // Written so that an invalid date is rejected as well.
  return age <= OLDEST && age >= -NEWEST
}
