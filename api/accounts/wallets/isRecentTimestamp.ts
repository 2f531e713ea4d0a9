import { MINUTE } from '#shared/dates.ts'

const MAX_AGE = 10 * MINUTE
/** Tolerates a clock ahead of ours. */
const MAX_LEAD = 1 * MINUTE

/** Whether the time in a signed message is recent. @param now real time. */
export function isRecentTimestamp(timestamp: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(timestamp)
  // Written so that an invalid date is rejected as well.
  return age <= MAX_AGE && age >= -MAX_LEAD
}
