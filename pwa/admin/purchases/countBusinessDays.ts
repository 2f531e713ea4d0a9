import { DAY } from '#shared/dates.ts'

/** Number of UTC weekdays that begin after one instant and up to the other; negative if the other is earlier. */
export function countBusinessDays(from: Date, to: Date): number {
  if (to < from) return 0 - countBusinessDays(to, from)
  let count = 0
  for (let day = Math.floor(from.getTime() / DAY) + 1; day <= Math.floor(to.getTime() / DAY); day++) {
    const weekday = new Date(day * DAY).getUTCDay()
    if (weekday !== 0 && weekday !== 6) count += 1
  }
  return count
}
