import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { formatAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import { fetchRows } from '#api/platform/db/streamQuery.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { ARCHIVED_BEFORE, ARCHIVED_UNTIL, type ArchivedTable, CARRIED, headOf, selectLines } from '../archivedSql.ts'
import type { Check } from '../Check.ts'

/** Withdrawals, sweeps and debts are never archived, so what they moved can be recomputed without the entries. */
export const carriedSums: Check = {
  name: 'The sums carried over from archived months follow from rewards, withdrawals, sweeps and debts',
  async run(em) {
    const rows = await sql<{ account: string; carried: string | null; due: string | null }>(
      em,
      `with carried as materialized (select * from ${CARRIED} sums),
       archived_withdrawals as materialized (
         select id, user_id, amount, case when status = 'completed' then fee else 0 end as fee
         from withdrawals where status <> 'failed' and created_at < ${ARCHIVED_UNTIL}
       ), debt as materialized (
         select d.user_id, d.amount, d.amount - owed as paid from debts d join withdrawals w on w.id = withdrawal_id
         where w.created_at < ${ARCHIVED_UNTIL}
       ), correction as materialized (
         select user_id, amount from reward_corrections where day < ${ARCHIVED_BEFORE}
       ), sweep as materialized (
         select coalesce(sum(amount), 0) as amount from payouts
         where case when withdrawal_id is null and state not in ('reverted', 'cancelled') then substr(cause, 7)::date end < ${ARCHIVED_BEFORE}
       ), due as (
         select account, sum(amount) as amount from (
           select account_id as account, distributed as amount from carried
           union all select $1::uuid, -distributed from carried
           union all select user_id, amount from correction
           union all select $1, -amount from correction
           union all select user_id, -amount from archived_withdrawals
           union all select $2::uuid, amount - fee from archived_withdrawals
           union all select $3::uuid, fee from archived_withdrawals
           union all select $2, amount from sweep
           union all select $3, -amount from sweep
           union all select user_id, amount - paid from debt
           union all select $4::uuid, paid - amount from debt
         ) parts group by account
       )
       select coalesce(account, account_id) as account, moved as carried, due.amount as due
       from carried full join due on account = account_id where coalesce(moved, 0) <> coalesce(due.amount, 0) order by 1`,
      [houseAccounts.rewards, houseAccounts.payouts, houseAccounts.fees, houseAccounts.debts],
    )
    return rows.map(
      ({ account, carried, due }) =>
        `account ${account} carries over ${formatAmount(BigInt(carried ?? 0))} XCR, its rows say ${formatAmount(BigInt(due ?? 0))}`,
    )
  },
}

/** The sum of one kind of entries in the month `m`. */
const moved = (kind: string) => `coalesce((m.moved->>'${kind}')::numeric, 0)`
const OF_MONTH = `created_at >= (m.month::timestamp at time zone 'UTC') and created_at < ((m.month + interval '1 month') at time zone 'UTC')`

/** SQL: the number of partitions that refuse everything until the end of the last archived month. */
const CLOSED = `select count(*) from unnest(array['ledger_entries', 'distributions']) parent
  join pg_class c on c.oid = to_regclass(parent || '_closed') and c.relispartition
  join pg_constraint k on k.conrelid = c.oid and k.conname = 'month_is_archived'
  where pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES FROM (MINVALUE) TO (%L)', (select max(month) + interval '1 month' from archived_months)::date)`

export const archivedMonths: Check = {
  name: 'Every archived month has the totals of its days and of its withdrawals',
  async run(em) {
    const rows = await sql<{ month: string; what: string; said: string; due: string }>(
      em,
      `select to_char(m.month, 'YYYY-MM') as month, what, said, due from archived_months m
       cross join lateral (
         select coalesce(sum(users), 0) as users, coalesce(sum(nodes), 0) as nodes, coalesce(sum(amount), 0) as amount
         from reward_runs where day >= m.month and day < m.month + interval '1 month'
       ) r
       cross join lateral (
         select coalesce(sum(amount), 0) as amount, coalesce(sum(amount) filter (where status = 'failed'), 0) as refunded,
           coalesce(sum(fee) filter (where status = 'completed'), 0) as fees
         from withdrawals where ${OF_MONTH}
       ) w
       cross join lateral (values
         ('rewards', m.rewards::numeric, r.users::numeric), ('nodes', m.nodes, r.nodes), ('XCR of rewards', ${moved('distribution')}, r.amount),
         ('XCR of withdrawals', ${moved('withdrawal')}, w.amount), ('XCR of refunds', ${moved('refund')}, w.refunded),
         ('XCR of fees', ${moved('fee')}, w.fees)
       ) t (what, said, due)
       where said <> due
       union all
       select to_char(month, 'YYYY-MM'), 'tables of rewards', 0, 1 from archived_months
       where to_regclass('archived_distributions' || to_char(month, '_YYYY_MM')) is null
       union all
       select to_char(max(month), 'YYYY-MM'), 'tables that refuse what is archived', (${CLOSED}), 2 from archived_months
       having max(month) is not null and (${CLOSED}) <> 2
       order by 1, 2`,
    )
    return rows.map(({ month, what, said, due }) => `the archived month ${month} has ${said} ${what}, its rows say ${due}`)
  },
}

/** One check for each archived month, which reads all of its rows: `npm run audit -- --all`. */
export async function archivedRowChecks(em: EntityManager): Promise<Check[]> {
  const months = await sql<{ month: string; suffix: string; kept: boolean; ledger_sha256: string; rewards_sha256: string }>(
    em,
    `select month, to_char(month, '_YYYY_MM') as suffix, to_regclass('archived_ledger_entries' || to_char(month, '_YYYY_MM')) is not null as kept, ledger_sha256, rewards_sha256
     from archived_months where to_regclass('archived_distributions' || to_char(month, '_YYYY_MM')) is not null order by month`,
  )
  return months.map(({ month, suffix, kept, ...hashes }) => ({
    name: `The rows of the archived month ${month.slice(0, 7)} are those that were carried over`,
    async run(em) {
      const rows = await sql<{ account: string; what: string }>(
        em,
        `with carried as (
           select account_id, sum(moved) as moved, sum(distributed) as distributed from (
             select account_id, moved, distributed from carried_sums where month = $1
             union all select account_id, -moved, -distributed from carried_sums
             where month = (select max(month) from archived_months where month < $1)
           ) both_sums group by account_id
         ), rewarded as (
           select user_id, sum(amount) as amount from archived_distributions${suffix} group by user_id
         )${kept ? `, ${movedIn(suffix)}` : ''}
         select coalesce(account_id, user_id)::text as account, 'distributions' as what from carried full join rewarded on user_id = account_id
         where coalesce(distributed, 0) <> coalesce(amount, 0)
         ${kept ? `union all select coalesce(account_id, account)::text, 'entries' from carried full join entered on account = account_id where coalesce(moved, 0) <> coalesce(amount, 0)` : ''}
         union all
         select 'all', 'number of distributions' from archived_months where month = $1
           and rewards <> (select count(*) from archived_distributions${suffix})
         ${kept ? `union all select 'all', 'number of entries' from archived_months where month = $1 and entries <> (select count(*) from archived_ledger_entries${suffix})` : ''}
         order by 1, 2`,
        [month],
      )
      const name = month.slice(0, 7)
      const differences = rows.map(({ account, what }) => `${name}: the ${what} of ${account} are not those carried over`)
      // Sums of accounts say nothing about the days and causes of their rows.
      if ((await hashRows(em, 'distributions', suffix)) !== hashes.rewards_sha256)
        differences.push(`${name}: the distributions are not those of its file`)
      if (kept && (await hashRows(em, 'ledger_entries', suffix)) !== hashes.ledger_sha256)
        differences.push(`${name}: the entries are not those of its file`)
      return differences
    },
  }))
}

const movedIn = (suffix: string) => `entered as (
  select account, sum(amount) as amount from (
    select to_account as account, amount from archived_ledger_entries${suffix}
    union all select from_account, -amount from archived_ledger_entries${suffix}
  ) moves group by account
)`

/** The hash that the file of an archived month has if its rows are still the same. */
async function hashRows(em: EntityManager, table: ArchivedTable, suffix: string): Promise<string> {
  const hash = createHash('sha256').update(headOf(table))
  const lines = fetchRows<{ line: string }>(em, { text: selectLines(table, `archived_${table}${suffix}`) })
  for await (const { line } of lines) hash.update(`${line}\n`)
  return hash.digest('hex')
}
