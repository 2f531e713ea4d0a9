import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { settingDefaults } from '#shared/settings.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { ARCHIVED_BEFORE, CARRIED } from '../archivedSql.ts'
import type { Check } from '../Check.ts'

/**
 * Computes the rewards independently of the daily run: the sum of all daily rates since each node became active, per user. It shares only
 * the nodes, the rates and the permanently skipped nodes with the daily run.
 */
export const recomputedRewards: Check = {
  name: 'Every user was paid the total that their nodes have earned',
  async run(em) {
    const [due, paid] = [await recompute(em), await readPaid(em)]
    const users = [...new Set([...due.keys(), ...paid.keys()])].sort()
    return users
      .filter((user) => (due.get(user) ?? 0n) !== (paid.get(user) ?? 0n))
      .map(
        (user) =>
          `user ${user} was paid ${formatAmount(paid.get(user) ?? 0n)} XCR, the nodes have earned ${formatAmount(due.get(user) ?? 0n)}`,
      )
  },
}

async function recompute(em: EntityManager): Promise<Map<string, bigint>> {
  const [span] = await sql<{ first: string | null; last: string | null }>(
    em,
    `select (select to_char(min(allocated_at) at time zone 'UTC', 'YYYY-MM-DD') from nodes) as first,
       (select to_char(max(day), 'YYYY-MM-DD') from reward_runs where paid_at is not null) as last`,
  )
  const earned = new Map<string, bigint>()
  if (!span?.first || !span.last) return earned

  const rateAt = await readRates(em)
  const instants: number[] = []
  /** The sum of the rates before the day of each index, for one node that is active from the first day. */
  const earnedBefore = [0n]
  const indexOfDay = new Map<string, number>()
  for (let day = span.first; day <= span.last; day = dayAfter(day)) {
    const instant = rewardInstant(day).getTime()
    indexOfDay.set(day, instants.length)
    instants.push(instant)
    earnedBefore.push(earnedBefore.at(-1)! + rateAt(instant))
  }
  const total = earnedBefore.at(-1)!
  const add = (user: string, amount: bigint) => earned.set(user, (earned.get(user) ?? 0n) + amount)

  const holdings = await sql<{ user_id: string; active_from: string; nodes: number }>(
    em,
    'select user_id, active_from, count(*) as nodes from nodes group by user_id, active_from',
  )
  for (const { user_id, active_from, nodes } of holdings) {
    const from = new Date(active_from).getTime()
    const first = instants.findIndex((instant) => instant >= from)
    if (first >= 0) add(user_id, BigInt(nodes) * (total - earnedBefore[first]!))
  }
  const skips = await sql<{ user_id: string; day: string; nodes: number }>(
    em,
    `select user_id, to_char(day, 'YYYY-MM-DD') as day, count(*) as nodes from reward_skips s join nodes n on number = node_number
     where not exists (select from reward_corrections c where c.day = s.day and c.purchase_id = n.purchase_id) group by user_id, day`,
  )
  for (const { user_id, day, nodes } of skips) {
    const index = indexOfDay.get(day)
    if (index !== undefined) add(user_id, -BigInt(nodes) * (earnedBefore[index + 1]! - earnedBefore[index]!))
  }
  return earned
}

async function readRates(em: EntityManager): Promise<(instant: number) => bigint> {
  const changes = await sql<{ value: string; at: string }>(
    em,
    `select value, product_effective_at as at from setting_changes where key = 'xcr_per_node_daily' order by product_effective_at, id`,
  )
  const rates = changes.map(({ value, at }) => ({ rate: parseAmount(value) ?? 0n, at: new Date(at).getTime() }))
  const initial = parseAmount(settingDefaults.xcr_per_node_daily) ?? 0n
  return (instant) => rates.findLast(({ at }) => at <= instant)?.rate ?? initial
}

async function readPaid(em: EntityManager): Promise<Map<string, bigint>> {
  const rows = await sql<{ user: string; amount: string }>(
    em,
    `select account as user, sum(amount) as amount from (
       select to_account as account, amount from ledger_entries where from_account = $1
       union all select account_id, distributed from ${CARRIED} carried where distributed > 0
       union all select user_id, amount from reward_corrections where day < ${ARCHIVED_BEFORE}
     ) paid group by account`,
    [houseAccounts.rewards],
  )
  return new Map(rows.map(({ user, amount }) => [user, BigInt(amount)]))
}
