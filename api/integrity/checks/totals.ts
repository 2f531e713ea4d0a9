import { formatAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

interface Difference {
  subject: string
  day: string
  said: string
  counted: string
  said_nodes: string
  counted_nodes: string
  said_amount: string
  counted_amount: string
}

const day = (instant: string): string => `(${instant} at time zone 'UTC')::date`

/** Triggers maintain these counts and sums, which the back office shows. */
export const dailyTotals: Check = {
  name: 'The totals of each day match its rows',
  async run(em) {
    const rows = await sql<Difference>(
      em,
      `with counted as (
         select 'users' as subject, ${day('created_at')} as day, count(*) as rows, 0 as nodes, 0 as amount from users group by 2
         union all
         select 'purchases', ${day('created_at')}, count(*), 0, 0 from purchases where posted_at is not null group by 2
         union all
         select case when amount > 0 then 'sales' else 'bonuses' end, ${day('coalesce(confirmed_at, created_at)')}, count(*),
           coalesce(sum(final_quantity), 0), sum(amount)
         from purchases where status = 'confirmed' group by 1, 2
         union all
         select 'withdrawals', ${day('created_at')}, count(*), 0, sum(amount) from withdrawals group by 2
         union all
         select 'withdrawals_counted', ${day('created_at')}, count(*), 0, sum(amount) from withdrawals where status <> 'failed' group by 2
       ), said as (
         select subject, day, sum(rows) as rows, sum(nodes) as nodes, sum(amount) as amount from daily_totals group by subject, day
       )
       select * from (
         select coalesce(said.subject, counted.subject) as subject, coalesce(said.day, counted.day)::text as day,
           coalesce(said.rows, 0) as said, coalesce(counted.rows, 0) as counted,
           coalesce(said.nodes, 0) as said_nodes, coalesce(counted.nodes, 0) as counted_nodes,
           coalesce(said.amount, 0) as said_amount, coalesce(counted.amount, 0) as counted_amount
         from said full join counted on counted.subject = said.subject and counted.day = said.day
       ) both_sides
       where (said, said_nodes, said_amount) is distinct from (counted, counted_nodes, counted_amount) order by subject, day`,
    )
    return rows.map(
      (row) =>
        `${row.subject} of ${row.day}: the totals say ${row.said} rows, ${row.said_nodes} nodes, ${formatAmount(BigInt(row.said_amount))}, ` +
        `the rows say ${row.counted}, ${row.counted_nodes}, ${formatAmount(BigInt(row.counted_amount))}`,
    )
  },
}
