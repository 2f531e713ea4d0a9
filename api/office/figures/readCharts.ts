import type { EntityManager } from '@mikro-orm/postgresql'
import type { getAdminCharts } from '#shared/contract/admin/office.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { readDailyTotals } from './readTotals.ts'

/** The last days, today included, each of them, oldest first. Sales by their confirmation, withdrawals by their request. */
export async function readCharts(
  em: EntityManager,
  { days, productNow }: { days: number; productNow: Date },
): Promise<Output<typeof getAdminCharts>> {
  const dates = Array.from({ length: days }, (_, index) => utcDay(new Date(productNow.getTime() - (days - 1 - index) * DAY)))
  const [from, to] = [dates[0]!, dates.at(-1)!]
  const [supply] = await sql<{ total: number; paid: number; bonus: number; held: number }>(
    em,
    'select total, paid, bonus, reserved as held from supply where id = 1',
  )
  const rewards = await sql<{ day: string; amount: string }>(
    em,
    'select day::text, amount from reward_runs where day between $1 and $2 and paid_at is not null',
    [from, to],
  )
  const sold = byDay(await readDailyTotals(em, { subject: 'sales', from, to }))
  const withdrawn = byDay(await readDailyTotals(em, { subject: 'withdrawals_counted', from, to }))
  const rewarded = byDay(rewards)
  return {
    sales: dates.map((date) => ({ date, nodes: sold.get(date)?.nodes ?? 0, revenueUsdt: sold.get(date)?.amount ?? 0n })),
    xcr: dates.map((date) => ({
      date,
      withdrawn: withdrawn.get(date)?.amount ?? 0n,
      rewarded: BigInt(rewarded.get(date)?.amount ?? 0),
    })),
    supply: supply!,
  }
}

const byDay = <Row extends { day: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.day, row]))
