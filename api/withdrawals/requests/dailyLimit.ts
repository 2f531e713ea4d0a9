import type { EntityManager } from '@mikro-orm/postgresql'
import type { DailyLimit } from '#shared/contract/withdrawals.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'

interface LimitColumns {
  dailyLimit: bigint | null
  nextDailyLimit: bigint | null
  dailyLimitChangesAt: Date | null
}

/**
 * An account's limit at a real time, and the planned one. A raise takes effect by the clock alone, without a job.
 *
 * @param now of `Clock.dueNow` where something is allowed by it.
 */
export function limitInForce(
  { dailyLimit, nextDailyLimit, dailyLimitChangesAt }: LimitColumns,
  now: Date,
): Pick<DailyLimit, 'limit' | 'next'> {
  if (!dailyLimitChangesAt) return { limit: dailyLimit, next: null }
  if (dailyLimitChangesAt <= now) return { limit: nextDailyLimit, next: null }
  return { limit: dailyLimit, next: { limit: nextDailyLimit, from: dailyLimitChangesAt } }
}

/**
 * An account's daily limit and what it leaves now. Counts what was requested within 24 hours and not refunded, whether it
 * is paid, on hold or in review. To decide by it, the caller has locked the user, so that concurrent requests count each other.
 */
export async function readDailyLimit(em: EntityManager, clock: Pick<Clock, 'dueTime'>, userId: string): Promise<DailyLimit> {
  const { dueNow, ...columns } = await query(em)
    .selectFrom('users')
    .select(['dailyLimit', 'nextDailyLimit', 'dailyLimitChangesAt', clock.dueTime().as('dueNow')])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const { limit, next } = limitInForce(columns, dueNow)
  if (limit === null) return { limit, next, left: null, growsAt: null }
  const { sum, oldest } = await query(em)
    .selectFrom('withdrawals')
    .select(({ fn }) => [fn.sum<bigint | null>('amount').as('sum'), fn.min('requestedAt').as('oldest')])
    .where('user', '=', userId)
    .where('requestedAt', '>', new Date(dueNow.getTime() - DAY))
    .where('status', '<>', 'failed')
    .executeTakeFirstOrThrow()
  const used = sum ?? 0n
  const growsAt = (oldest as Date | null) && new Date(oldest.getTime() + DAY)
  return { limit, next, left: used < limit ? limit - used : 0n, growsAt }
}
