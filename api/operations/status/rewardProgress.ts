import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { MINUTE } from '#shared/dates.ts'
import { dayAfter, lastDueDay, rewardInstant } from '#shared/rewardTime.ts'
import { query } from '#api/entities/tables.ts'

/** A due day that is not paid after this time counts as late. */
const LATE_AFTER = 10 * MINUTE

export interface RewardProgress {
  /** The last day that is paid. */
  paid: string | null
  /** The first day that is due and not paid, and since when it is due, in milliseconds. */
  due: { day: string; since: number } | undefined
}

/** Which days of rewards are paid. @param now product time. */
export async function readRewardProgress(em: EntityManager, now: Date): Promise<RewardProgress> {
  const { paid, last, unpaid } = await query(em)
    .selectFrom('reward_runs as r')
    .select(({ fn }) => [
      fn.max<string | null>('r.day').filterWhere('r.paidAt', 'is not', null).as('paid'),
      fn.max<string | null>('r.day').as('last'),
      fn.min<string | null>('r.day').filterWhere('r.paidAt', 'is', null).as('unpaid'),
    ])
    .executeTakeFirstOrThrow()
  const next = unpaid ?? (last ? dayAfter(last) : await readFirstDay(em))
  const isDue = next !== null && next <= lastDueDay(now)
  return { paid, due: isDue ? { day: next, since: now.getTime() - rewardInstant(next).getTime() } : undefined }
}

export const areRewardsLate = ({ due }: RewardProgress): boolean => due !== undefined && due.since > LATE_AFTER

/** The day of the first node. */
async function readFirstDay(em: EntityManager): Promise<string | null> {
  const row = await query(em)
    .selectFrom('nodes as n')
    .select(({ fn }) => sql<string | null>`(${fn.min('n.allocatedAt')} at time zone 'UTC')::date`.as('day'))
    .executeTakeFirst()
  return row?.day ?? null
}
