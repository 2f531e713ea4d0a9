import type { EntityManager } from '@mikro-orm/postgresql'
import type { listAdminWithdrawals } from '#shared/contract/admin/withdrawals.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { readDailyTotals, readTotal } from './readTotals.ts'

/** Days of the daily statistics, including today. */
const DAYS = 30

type Stats = Pick<Output<typeof listAdminWithdrawals>, 'dailyStats' | 'totalStats'>

/** All withdrawals except failed ones, by the UTC day of the request. */
export async function readWithdrawalStats(em: EntityManager, productNow: Date): Promise<Stats> {
  const subject = 'withdrawals_counted'
  const from = utcDay(new Date(productNow.getTime() - (DAYS - 1) * DAY))
  const days = await readDailyTotals(em, { subject, from, to: utcDay(productNow) })
  const total = await readTotal(em, subject)
  return {
    dailyStats: days.map(({ day, rows, amount }) => ({ date: day, totalAmount: amount, totalCount: rows })),
    totalStats: { totalAmount: total.amount, totalCount: total.rows },
  }
}
