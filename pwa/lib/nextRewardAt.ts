import { DAY } from '#shared/dates.ts'

const REWARD_HOUR = 9

/** The next 09:00 UTC. */
export function nextRewardAt(now: Date): Date {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), REWARD_HOUR)
  return new Date(now.getTime() < today ? today : today + DAY)
}
