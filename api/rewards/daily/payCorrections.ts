import type { EntityManager } from '@mikro-orm/postgresql'
import { shareUntilCommit } from '#api/platform/db/advisoryLocks.ts'
// SQL as text: one statement pays all accounts, as in payDay.
import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { houseAccounts } from '../ledger/houseAccounts.ts'
import { LEDGER_MONTHS_LOCK } from '../ledger/prepareLedgerMonths.ts'
import type { Services } from '#api/platform/services.ts'
import { changedKeys } from './payDay.ts'

/** Pays the rewards that nodes missed while they were frozen, soon after they are thawed. */
export const payRewardCorrections: Sweep<'clock' | 'orm'> = {
  name: 'pay-reward-corrections',
  everySeconds: 5,
  run: payCorrections,
}

/**
 * Missed and unpaid days of thawed nodes. The nodes of a purchase are frozen and thawed together, so one row per purchase and day is one
 * payment.
 */
const missedDays = `
  select s.day, n.purchase_id, n.user_id, count(*)::int as nodes, r.rate
  from reward_skips s join nodes n on n.number = s.node_number join reward_runs r on r.day = s.day
  where n.frozen_at is null and r.rate > 0
    and not exists (select from reward_corrections c where c.day = s.day and c.purchase_id = n.purchase_id)
  group by s.day, n.purchase_id, n.user_id, r.rate`

/**
 * Pays the days that thawed nodes have missed, at the rates of those days (money.md 23). A day is due if it is in `reward_skips` and has no
 * correction, so the payment depends neither on the time of the thaw nor on a daily run at that time.
 */
export async function payCorrections({ orm, clock }: Pick<Services, 'orm' | 'clock'>): Promise<void> {
  const em = orm.em.fork()
  const [due] = await sql(em, `${missedDays} limit 1`)
  if (due) await em.transactional((em) => payMissedDays(em, { now: clock.now(), productNow: clock.productNow() }))
}

async function payMissedDays(em: EntityManager, { now, productNow }: { now: Date; productNow: Date }): Promise<void> {
  await shareUntilCommit(em, LEDGER_MONTHS_LOCK)
  // Locked before the users' accounts, as in the daily run. Of two workers, the second finds the corrections of the first.
  await sql(em, 'select from accounts where id = $1 for update', [houseAccounts.rewards])
  await sql(em, payment, [productNow, now, houseAccounts.rewards, changedKeys])
}

/** $1 product time · $2 real time · $3 the rewards account · $4 changed keys */
const payment = `
with corrected as (
  insert into reward_corrections (day, purchase_id, id, user_id, nodes, rate, amount, created_at)
  select day, purchase_id, gen_random_uuid(), user_id, nodes, rate, nodes * rate, $1::timestamptz from (${missedDays}) missed
  returning day, purchase_id, user_id, amount
),
entered as (
  insert into ledger_entries (date, cause, from_account, to_account, amount, recorded_at)
  select day, 'correction:' || to_char(day, 'YYYY-MM-DD') || ':' || purchase_id, $3::uuid, user_id, amount, $2::timestamptz from corrected
),
people as (select user_id, sum(amount) as amount from corrected group by user_id),
credited as (
  insert into accounts (id, kind, balance, total_earned) select user_id, 'user', amount, amount from people order by user_id
  on conflict (id) do update
  set balance = accounts.balance + excluded.balance, total_earned = accounts.total_earned + excluded.total_earned
),
told as (insert into change_events (user_id, keys) select user_id, $4::text[] from people)
update accounts set balance = balance - paid.amount
from (select sum(amount) as amount from corrected) paid where id = $3::uuid and paid.amount is not null`
