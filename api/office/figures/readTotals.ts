import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import type { TotalSubject } from '#api/entities/DailyTotal.ts'

export interface Total {
  rows: number
  /** The nodes of sales and bonuses. */
  nodes: number
  /** In the smallest unit: USDT for sales, XCR for withdrawals. */
  amount: bigint
}

export interface DayTotal extends Total {
  /** YYYY-MM-DD in UTC. */
  day: string
}

const totals = (em: EntityManager, subject: TotalSubject) =>
  query(em)
    .selectFrom('daily_totals')
    .select(({ fn, lit }) => [
      fn.coalesce(fn.sum<bigint>('rows'), lit(0)).as('rows'),
      fn.coalesce(fn.sum<bigint>('nodes'), lit(0)).as('nodes'),
      fn.coalesce(fn.sum<bigint>('amount'), lit(0)).as('amount'),
    ])
    .where('subject', '=', subject)

/** The all-time totals of a subject, from one row per day. */
export async function readTotal(em: EntityManager, subject: TotalSubject): Promise<Total> {
  return presentTotal(await totals(em, subject).executeTakeFirstOrThrow())
}

/** The days with entries, newest first. */
export async function readDailyTotals(
  em: EntityManager,
  { subject, from, to }: { subject: TotalSubject; from: string; to: string },
): Promise<DayTotal[]> {
  const rows = await totals(em, subject)
    .select('day')
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy('day')
    .having((eb) => eb.fn.sum('rows'), '>', 0)
    .orderBy('day', 'desc')
    .execute()
  return rows.map((row) => ({ day: row.day, ...presentTotal(row) }))
}

type Sums = Awaited<ReturnType<ReturnType<typeof totals>['executeTakeFirstOrThrow']>>

const presentTotal = ({ rows, nodes, amount }: Sums): Total => ({
  rows: Number(rows),
  nodes: Number(nodes),
  amount: BigInt(amount),
})
