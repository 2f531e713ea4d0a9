import type { EntityManager } from '@mikro-orm/postgresql'
import type { getAdminCharts } from '#shared/contract/admin/office.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { readDailyTotals } from './readTotals.ts'

/**
 * One entry for each of the last days including today, oldest first. Sales count on their confirmation, withdrawals on their
 * request.
 */
export async function readCharts(
  em: EntityManager,
  { days, productNow }: { days: number; productNow: Date },
): Promise<Output<typeof getAdminCharts>> {
  const dates = Array.from({ length: days }, (_, index) => utcDay(new Date(productNow.getTime() - (days - 1 - index) * DAY)))
  const [from, to] = [dates[0]!, dates.at(-1)!]
  const supply = await query(em)
    .selectFrom('supply')
    .select(['total', 'paid', 'bonus', 'reserved as held'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  const rewards = await query(em)
    .selectFrom('reward_runs')
    .select(['day', 'amount'])
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where('paidAt', 'is not', null)
    .execute()
  const sold = byDay(await readDailyTotals(em, { subject: 'sales', from, to }))
  const withdrawn = byDay(await readDailyTotals(em, { subject: 'withdrawals_counted', from, to }))
  const rewarded = byDay(rewards)
  return {
    sales: dates.map((date) => ({ date, nodes: sold.get(date)?.nodes ?? 0, revenueUsdt: sold.get(date)?.amount ?? 0n })),
    xcr: dates.map((date) => ({
      date,
      withdrawn: withdrawn.get(date)?.amount ?? 0n,
      rewarded: rewarded.get(date)?.amount ?? 0n,
    })),
    supply,
  }
}

const byDay = <Row extends { day: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.day, row]))
