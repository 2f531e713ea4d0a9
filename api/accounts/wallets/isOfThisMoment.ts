import { MINUTE } from '#shared/dates.ts'

/** How far the time in a signed message may be behind and ahead of ours. */
const OLDEST = 10 * MINUTE
const NEWEST = 1 * MINUTE

/** Whether a message was signed just now. @param now real time. */
export function isOfThisMoment(timestamp: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(timestamp)
  // Written so that a time that is none is refused as well.
  return age <= OLDEST && age >= -NEWEST
}
