import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { readUnfinished } from '#api/withdrawals/requests/readUnfinished.ts'
import type { ArchivableMonth } from './findMonths.ts'

/** SQL: the time of the newest books of the register, which have the corrections paid until then. */
const PUBLISHED_UNTIL = `(select substring(text from E'\\ntime ([^\\n]*)\\n')::timestamptz from register_entries where kind = 'books' order by index desc limit 1)`

/** Why a month may still change, in one sentence; undefined if it is final. An entry's date is that of its cause, however late it comes. */
export async function findObstacle(em: EntityManager, { name, end }: ArchivableMonth): Promise<string | undefined> {
  const { openWithdrawals, unpaidDays, openDebts, frozenNodes } = await readUnfinished(em, end)
  if (openWithdrawals > 0) return `${openWithdrawals} withdrawals requested until then are still open`
  if (unpaidDays > 0) return `${unpaidDays} days are not paid`
  if (openDebts > 0)
    return `${openDebts} debts of withdrawals requested until then are open, and what pays them is entered on those days`
  if (frozenNodes > 0) return `${frozenNodes} nodes frozen until then may still be thawed and paid for the days they missed`
  const [left] = await sql<{
    missed: boolean
    sweeps: boolean
    stopped: boolean
    stray: boolean
    unpublished: boolean
  }>(
    em,
    `select
       exists (
         select from reward_skips s join nodes n on n.number = s.node_number join reward_runs r on r.day = s.day
         where s.day < $1 and r.rate > 0
           and not exists (select from reward_corrections c where c.day = s.day and c.purchase_id = n.purchase_id)
       ) as missed,
       exists (
         select from payouts where state = 'sent' and case when withdrawal_id is null then substr(cause, 7)::date end < $1
       ) as sweeps,
       exists (select from payout_wallets where stopped_because is not null) as stopped,
       exists (select from ledger_entries_default where date < $1) or exists (select from distributions_default where day < $1) as stray,
       exists (select from register_entries)
         and (
           coalesce((select max(day) from register_days), '-infinity') < (select max(day) from reward_runs where day < $1)
           or exists (
             select from reward_corrections c
             join ledger_entries l on l.date = c.day and l.cause = 'correction:' || to_char(c.day, 'YYYY-MM-DD') || ':' || c.purchase_id
             where c.day < $1 and l.recorded_at > coalesce(${PUBLISHED_UNTIL}, '-infinity')
           )
         ) as unpublished`,
    [end],
  )
  const { missed, sweeps, stopped, stray, unpublished } = left!
  if (missed) return 'rewards that nodes missed while they were frozen are not paid'
  if (sweeps) return 'a sweep of fees is not settled'
  if (stopped) return 'payouts are stopped, and npm run admin -- reconcile-payouts may record what was paid until then'
  if (stray) return `the default partitions have rows of ${name} or before`
  if (unpublished) return 'the public register does not have all of its days and corrections'
  return undefined
}
