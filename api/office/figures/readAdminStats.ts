import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminStats } from '#shared/contract/admin/office.ts'
import { sql } from '#api/platform/db/sql.ts'
import { readTotal } from './readTotals.ts'

/** Confirmed purchases and bonuses only: what is merely held is not sold. From maintained numbers, so that it stays fast. */
export async function readAdminStats(em: EntityManager): Promise<AdminStats> {
  const [row] = await sql<{ paid: number; bonus: number; reviews: number; vesting: string | null }>(
    em,
    `select paid, bonus,
       (select count(*)::int from purchases where status = 'manual_review')
         + (select count(*)::int from deposits where state = 'review') as reviews,
       (select vesting_started_at from installation where id = 1) as vesting
     from supply where id = 1`,
  )
  const { paid, bonus, reviews, vesting } = row!
  const users = await readTotal(em, 'users')
  const sales = await readTotal(em, 'sales')
  return {
    totalUsers: users.rows,
    totalNodesSold: paid + bonus,
    paidNodesSold: paid,
    bonusNodesGiven: bonus,
    totalRevenue: sales.amount,
    pendingReviews: reviews,
    vestingStartDate: vesting === null ? null : new Date(vesting),
  }
}
