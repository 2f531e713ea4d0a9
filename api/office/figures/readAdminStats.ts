import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminStats } from '#shared/contract/admin/office.ts'
import { query } from '#api/entities/tables.ts'
import { readTotal } from './readTotals.ts'

/** Counts confirmed purchases and bonuses only; reservations are not sold. It reads maintained totals, so that it stays fast. */
export async function readAdminStats(em: EntityManager): Promise<Omit<AdminStats, 'allWaiting'>> {
  const { paid, bonus, purchases, deposits, vestingStartedAt } = await query(em)
    .selectFrom('supply as s')
    .innerJoin('installation as i', 'i.id', 's.id')
    .select((eb) => [
      's.paid',
      's.bonus',
      'i.vestingStartedAt',
      eb
        .selectFrom('purchases as p')
        .select(eb.fn.countAll<number>().as('count'))
        .where('p.status', '=', 'manual_review')
        .as('purchases'),
      eb.selectFrom('deposits as d').select(eb.fn.countAll<number>().as('count')).where('d.state', '=', 'review').as('deposits'),
    ])
    .where('s.id', '=', 1)
    .executeTakeFirstOrThrow()
  const users = await readTotal(em, 'users')
  const sales = await readTotal(em, 'sales')
  return {
    totalUsers: users.rows,
    totalNodesSold: paid + bonus,
    paidNodesSold: paid,
    bonusNodesGiven: bonus,
    totalRevenue: sales.amount,
    pendingReviews: (purchases ?? 0) + (deposits ?? 0),
    vestingStartDate: vestingStartedAt,
  }
}
