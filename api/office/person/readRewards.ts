import type { EntityManager } from '@mikro-orm/postgresql'
import type { Distribution } from '#shared/contract/rewards.ts'
import { query } from '#api/entities/tables.ts'
import { dailyRewards } from '#api/rewards/daily/dailyRewards.ts'
import type { Part, PartOf } from './personParts.ts'

/** Daily rewards and corrections, latest first. */
export async function readRewards(em: EntityManager, { userId, limit, offset }: PartOf): Promise<Part<Distribution>> {
  const db = query(em)
  const daily = () => dailyRewards(em, userId)
  const corrected = () => db.selectFrom('reward_corrections as c').where('c.userId', '=', userId)
  const newestDaily = daily()
    .select(['d.id', 'd.amount', 'd.at', 'd.count', 'd.rate'])
    .orderBy('r.day', 'desc')
    .limit(offset + limit)
  const newestCorrected = corrected()
    .select(['c.id', 'c.amount', 'c.createdAt as at', 'c.nodes as count', 'c.rate'])
    .orderBy('c.createdAt', 'desc')
    .limit(offset + limit)
  const rows = await db
    .selectFrom(newestDaily.as('daily'))
    .selectAll()
    .unionAll(db.selectFrom(newestCorrected.as('corrected')).selectAll())
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  const days = await daily()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const corrections = await corrected()
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return {
    rows: rows.map(({ at, count, rate, ...row }) => ({ ...row, createdAt: at, activeNodes: count, xcrPerNode: rate })),
    totalCount: days.count + corrections.count,
  }
}
