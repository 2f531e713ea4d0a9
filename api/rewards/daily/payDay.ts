import type { EntityManager } from '@mikro-orm/postgresql'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getUserNodes } from '#shared/contract/nodes.ts'
import { listDistributions } from '#shared/contract/rewards.ts'
import { shareUntilCommit } from '#api/platform/db/advisoryLocks.ts'
// SQL as text: one statement of nine CTEs pays all accounts.
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '../ledger/houseAccounts.ts'
import { LEDGER_MONTHS_LOCK } from '../ledger/prepareLedgerMonths.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

/** The cause of a distribution in the ledger. */
export const causeOf = (day: string, userId: string): string => `distribution:${day}:${userId}`

/** The queries that change once a day is paid. */
export const changedKeys = [getAuthUser.path, listDistributions.path, getUserNodes.path]

/**
 * Pays all accounts for one closed day in the caller's transaction, completely or not at all.
 *
 * @returns false, without any change, if the day is paid or another worker is paying it.
 */
export async function payDay(em: EntityManager, { day, now }: { day: string; now: Date }): Promise<boolean> {
  const instant = rewardInstant(day)
  // This lock prevents paying twice: a locked row is being paid by another worker.
  const [run] = await sql<{ rate: string }>(
    em,
    'select rate from reward_runs where day = $1 and paid_at is null for update skip locked',
    [day],
  )
  if (!run) return false
  await shareUntilCommit(em, LEDGER_MONTHS_LOCK)
  // Locked before the users' accounts, because one statement changes them all; nothing else moves XCR from it.
  await sql(em, 'select from accounts where id = $1 for update', [houseAccounts.rewards])
  const newcomers = await sql<{ id: string; amount: string }>(em, payment, [
    day,
    instant,
    run.rate,
    now,
    houseAccounts.rewards,
    changedKeys,
    causeOf(day, ''),
  ])
  await openAccounts(em, newcomers)
  return true
}

/** Credits users without an account at the time of the payment. The account is created here, or was created concurrently. */
async function openAccounts(em: EntityManager, newcomers: readonly { id: string; amount: string }[]): Promise<void> {
  if (newcomers.length === 0) return
  await sql(
    em,
    `insert into accounts (id, kind, balance, total_earned)
     select id, 'user', amount, amount from unnest($1::uuid[], $2::numeric[]) newcomers (id, amount) order by id
     on conflict (id) do update set balance = accounts.balance + excluded.balance, total_earned = accounts.total_earned + excluded.total_earned`,
    [newcomers.map(({ id }) => id), newcomers.map(({ amount }) => amount)],
  )
}

/**
 * One statement for all accounts, because one for each would take minutes: it counts the active nodes of each holder and writes the
 * distributions, the entries, the balances, the day's row and the change events. Returns the holders without an account, because searching
 * for them first would take half as long as all of this.
 *
 * $1 day · $2 its 09:00 · $3 rate · $4 real time · $5 the rewards account · $6 changed keys · $7 prefix of the causes
 */
const payment = `
with active as materialized (
  select user_id, count(*)::int as nodes, count(*) * $3::numeric as amount
  from nodes where active_from <= $2::timestamptz and frozen_at is null and $3::numeric > 0
  group by user_id
  -- Inserting in the order of the keys appends to the index.
  order by user_id
),
skipped as (
  insert into reward_skips (day, node_number)
  select $1::date, number from nodes where active_from <= $2::timestamptz and frozen_at is not null
),
distributed as (
  insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
  select $1::date, user_id,
    gen_random_uuid(), nodes, $3::numeric, amount, $2::timestamptz
  from active
),
entered as (
  insert into ledger_entries (date, cause, from_account, to_account, amount, recorded_at)
  select $1::date, $7::text || user_id, $5::uuid, user_id, amount, $4::timestamptz from active
),
credited as (
  update accounts set balance = balance + active.amount, total_earned = total_earned + active.amount
  from active where accounts.id = active.user_id
  returning accounts.id
),
totals as (select count(*)::int as users, coalesce(sum(nodes), 0)::int as nodes, coalesce(sum(amount), 0) as amount from active),
debited as (update accounts set balance = balance - totals.amount from totals where accounts.id = $5::uuid),
told as (
  -- Only users with a session can have a page open.
  insert into change_events (user_id, keys)
  select user_id, $6::text[] from active
  where exists (select from web_sessions where account_id = user_id and realm = 'user' and expires_at > now())
),
closed as (
  update reward_runs set paid_at = $4::timestamptz, users = totals.users, nodes = totals.nodes, amount = totals.amount
  from totals where day = $1::date
)
-- Joined, because NOT IN compares every holder with every account once they no longer fit in the memory of a hash table.
select user_id as id, amount from active where not exists (select from credited where credited.id = active.user_id)`
