import type { EntityManager } from '@mikro-orm/postgresql'
import { type Distribution, MAX_DISTRIBUTIONS } from '#shared/contract/rewards.ts'
import { query } from '#api/entities/tables.ts'
import { dailyRewards } from './dailyRewards.ts'

/** An account's rewards, latest first, including corrections. */
export async function listDistributions(em: EntityManager, userId: string): Promise<Distribution[]> {
  const db = query(em)
  const daily = dailyRewards(em, userId)
    .select(['d.id', 'd.amount', 'd.at', 'd.count', 'd.rate'])
    .orderBy('r.day', 'desc')
    .limit(MAX_DISTRIBUTIONS)
  const corrected = db
    .selectFrom('reward_corrections as c')
    .select(['c.id', 'c.amount', 'c.createdAt as at', 'c.nodes as count', 'c.rate'])
    .where('c.userId', '=', userId)
    .orderBy('c.createdAt', 'desc')
    .limit(MAX_DISTRIBUTIONS)
  const rows = await db
    .selectFrom(daily.as('daily'))
    .selectAll()
    .unionAll(db.selectFrom(corrected.as('corrected')).selectAll())
    .orderBy('at', 'desc')
    .limit(MAX_DISTRIBUTIONS)
    .execute()
  return rows.map(({ id, amount, at, count, rate }) => ({
    id,
    amount,
    createdAt: at,
    activeNodes: count,
    xcrPerNode: rate,
  }))
}
