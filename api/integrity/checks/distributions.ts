import { formatAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { CLOCK_TOLERANCE } from '#api/rewards/daily/requireDayCome.ts'
import { lastDueDay } from '#shared/rewardTime.ts'
import { ARCHIVED_BEFORE } from '../archivedSql.ts'
import type { Check } from '../Check.ts'

export const distributionEntries: Check = {
  name: 'Every distribution and every correction has exactly one ledger entry',
  async run(em) {
    const rows = await sql<{ cause: string; paid: string | null; moved: string | null }>(
      em,
      `select coalesce(e.cause, d.cause) as cause, d.amount as paid, e.amount as moved
       from (
         select day, user_id, amount, 'distribution:' || to_char(day, 'YYYY-MM-DD') || ':' || user_id as cause from distributions
         union all
         select day, user_id, amount, 'correction:' || to_char(day, 'YYYY-MM-DD') || ':' || purchase_id from reward_corrections
         where day >= ${ARCHIVED_BEFORE}
       ) d
       full join (
         select * from ledger_entries where from_account = $1 or cause like 'distribution:%' or cause like 'correction:%'
       ) e
         on e.date = d.day and e.cause = d.cause and e.from_account = $1 and e.to_account = d.user_id
       where d.amount is distinct from e.amount`,
      [houseAccounts.rewards],
    )
    return rows.map(({ cause, paid, moved }) => {
      if (paid === null) return `the entry ${cause} has no ${cause.startsWith('correction:') ? 'correction' : 'distribution'}`
      if (moved === null) return `${cause} of ${formatAmount(BigInt(paid))} XCR has no entry`
      return `${cause} is ${formatAmount(BigInt(paid))} XCR, its entry ${formatAmount(BigInt(moved))}`
    })
  },
}

export const rewardDays: Check = {
  name: 'Every day has a run, and the totals of each run match its distributions',
  async run(em) {
    const rows = await sql<{ day: string; fault: string }>(
      em,
      `with days as (
         select generate_series(least((select min(allocated_at at time zone 'UTC')::date from nodes), min(day)), max(day), interval '1 day')::date as day
         from reward_runs
       ),
       paid as (
         select d.day, count(*) as users, sum(active_nodes) as nodes, sum(d.amount) as amount,
           bool_and(d.rate = r.rate and d.created_at = (d.day + time '09:00') at time zone 'UTC') as alike
         from distributions d left join reward_runs r on r.day = d.day group by d.day
       )
       select to_char(coalesce(days.day, paid.day), 'YYYY-MM-DD') as day, case
         when r.day is null then 'has no run'
         when r.paid_at is null then 'was closed and never paid'
         when not alike then 'has distributions with another rate or time'
         else 'says ' || r.users || ' users, ' || r.nodes || ' nodes, ' || r.amount || '; its distributions say '
           || coalesce(paid.users, 0) || ', ' || coalesce(paid.nodes, 0) || ', ' || coalesce(paid.amount, 0)
         end as fault
       from days full join paid on paid.day = days.day left join reward_runs r on r.day = days.day
       where r.day is null or not coalesce(alike, true)
         -- The last run may be in progress.
         or (r.paid_at is null and r.day < (select max(day) from reward_runs))
         or (r.day >= ${ARCHIVED_BEFORE}
           and (r.users, r.nodes, r.amount) is distinct from (coalesce(paid.users, 0)::int, coalesce(paid.nodes, 0)::int, coalesce(paid.amount, 0)))
       order by 1`,
    )
    return rows.map(({ day, fault }) => `${day} ${fault}`)
  },
}

/** money.md 23: a missed reward is paid once, for every missed node, at the rate of its day. */
export const corrections: Check = {
  name: 'Every correction pays what nodes missed while they were frozen, at the rate of that day',
  async run(em) {
    const rows = await sql<{ day: string; purchase_id: string; fault: string }>(
      em,
      `with missed as (
         select s.day, n.purchase_id, n.user_id, count(*) as nodes from reward_skips s join nodes n on n.number = s.node_number
         group by s.day, n.purchase_id, n.user_id
       )
       select to_char(c.day, 'YYYY-MM-DD') as day, c.purchase_id,
         'pays ' || c.nodes || ' nodes at ' || c.rate || ' instead of ' || coalesce(m.nodes, 0) || ' at ' || r.rate as fault
       from reward_corrections c join reward_runs r on r.day = c.day
       left join missed m on m.day = c.day and m.purchase_id = c.purchase_id and m.user_id = c.user_id
       where (c.nodes, c.rate) is distinct from (m.nodes, r.rate) order by c.day, c.purchase_id`,
    )
    return rows.map(({ day, purchase_id, fault }) => `the correction of ${day} for the purchase ${purchase_id} ${fault}`)
  },
}

/** money.md 23: clocks may differ by five minutes. */
export const paidDaysHaveCome: Check = {
  name: 'No day was closed or paid before its 09:00',
  async run(em, { productNow }) {
    const rows = await sql<{ day: string; paid: boolean }>(
      em,
      `select to_char(day, 'YYYY-MM-DD') as day, paid_at is not null as paid from reward_runs where day > $1::date order by day`,
      [lastDueDay(new Date(productNow.getTime() + CLOCK_TOLERANCE))],
    )
    return rows.map(({ day, paid }) => `${day} was ${paid ? 'paid' : 'closed'} before its 09:00`)
  },
}
