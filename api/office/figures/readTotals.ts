import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import type { TotalSubject } from '#api/entities/DailyTotal.ts'

export interface Total {
  rows: number
  /** Of sales and bonuses. */
  nodes: number
  /** In the smallest unit; of sales in USDT, of withdrawals in XCR. */
  amount: bigint
}

export interface DayTotal extends Total {
  /** YYYY-MM-DD in UTC. */
  day: string
}

interface TotalRow {
  rows: string
  nodes: string
  amount: string
}

const SUMS = 'coalesce(sum(rows), 0) as rows, coalesce(sum(nodes), 0) as nodes, coalesce(sum(amount), 0) as amount'

/** All there ever was of something. Reads a row for each day, never the rows themselves. */
export async function readTotal(em: EntityManager, subject: TotalSubject): Promise<Total> {
  const [row] = await sql<TotalRow>(em, `select ${SUMS} from daily_totals where subject = $1`, [subject])
  return presentTotal(row!)
}

/** The days that have any, newest first. */
export async function readDailyTotals(
  em: EntityManager,
  { subject, from, to }: { subject: TotalSubject; from: string; to: string },
): Promise<DayTotal[]> {
  const rows = await sql<TotalRow & { day: string }>(
    em,
    `select day::text as day, ${SUMS} from daily_totals where subject = $1 and day between $2 and $3
     group by day having sum(rows) > 0 order by daily_totals.day desc`,
    [subject, from, to],
  )
  return rows.map((row) => ({ day: row.day, ...presentTotal(row) }))
}

const presentTotal = ({ rows, nodes, amount }: TotalRow): Total => ({
  rows: Number(rows),
  nodes: Number(nodes),
  amount: BigInt(amount),
})
