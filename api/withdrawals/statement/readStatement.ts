import type { EntityManager } from '@mikro-orm/postgresql'
import type { PaymentStatus } from '#shared/contract/purchases.ts'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import {
  type BalanceEffect,
  createBalanceWalk,
  type DebtPeriod,
  distributionEffect,
  distributionType,
  type HistoryType,
  purchaseEffect,
  purchaseType,
  withdrawalEffect,
  withdrawalType,
} from '#shared/history.ts'
// SQL as text: a cursor, whose plan depends on `offset 0`.
import { sql, streamRows } from '#api/platform/db/sql.ts'
import { query } from '#api/entities/tables.ts'
import { IS_SHOWN, SHOWN_HASH, shownStatus, WITH_DEPOSITS } from '#api/sale/purchases/listPurchases.ts'

export interface StatementRow {
  id: string
  at: Date
  type: HistoryType
  /** Null for movements of XCR. */
  nodes: number | null
  amount: bigint
  /** What was received for a purchase by now, in transfers that count for it. Null for movements of XCR. */
  paid: bigint | null
  token: 'USDT' | 'XCR'
  fee: bigint | null
  status: string
  hash: string | null
  /** The XCR balance after the movement, a text instead, or null. */
  balance: bigint | string | null
}

interface HistoryEvent {
  id: string
  at: string
  amount: string
  hash: string | null
}

type HistoryRow =
  | (HistoryEvent & { source: 'purchase'; status: PaymentStatus; nodes: number; paid: string })
  | (HistoryEvent & { source: 'withdrawal'; status: WithdrawalStatus; fee: string; owed: string })
  | (HistoryEvent & { source: 'distribution' })

/** Every movement of an account's nodes or XCR, newest first, from one snapshot. */
export async function* readStatement(em: EntityManager, userId: string): AsyncGenerator<StatementRow> {
  let walkBack = createBalanceWalk(0n)
  const rows = streamRows<HistoryRow>(em, async (reader) => {
    const [account] = await sql<{ balance: string }>(reader, 'select balance from accounts where id = $1', [userId])
    walkBack = createBalanceWalk(BigInt(account?.balance ?? 0), await readDebts(reader, userId))
    return { text: history, parameters: [userId] }
  })
  for await (const row of rows) {
    const { effect, ...facts } = presentRow(row)
    yield { ...facts, balance: walkBack(effect, facts.at) }
  }
}

const readDebts = (reader: EntityManager, userId: string): Promise<DebtPeriod[]> =>
  query(reader)
    .selectFrom('debts as d')
    .innerJoin('withdrawals as w', 'w.id', 'd.withdrawal')
    .select(['w.createdAt as from', 'd.closedAt as until'])
    .where('w.user', '=', userId)
    .execute()

/**
 * Distributions are read day by day, because the table is clustered by day rather than by account; `offset 0` keeps the planner from
 * scanning the distributions of all accounts. Archived months are included.
 *
 * $1 user
 */
const history = `
select 'purchase' as source, p.id, p.created_at as at, p.status, coalesce(p.final_quantity, p.requested_quantity) as nodes,
  p.amount, null::numeric as fee, null::numeric as owed, ${SHOWN_HASH} as hash,
  (select coalesce(sum(amount), 0) from deposits where purchase_id = p.id and state in ('matched', 'assigned')) as paid
from purchases p ${WITH_DEPOSITS} where p.user_id = $1 and ${IS_SHOWN}
union all
select 'withdrawal', w.id, w.created_at, w.status, null, w.amount, w.fee, coalesce(d.owed, 0), w.transaction_hash, null
from withdrawals w left join debts d on d.withdrawal_id = w.id where w.user_id = $1
union all
select 'distribution', d.id, d.created_at, null, null, d.amount, null, null, null, null
from reward_runs r cross join lateral (
  select id, created_at, amount from distributions where day = r.day and user_id = $1
  union all select id, created_at, amount from archived_distributions where day = r.day and user_id = $1 offset 0
) d
union all
select 'distribution', id, created_at, null, null, amount, null, null, null, null from reward_corrections where user_id = $1
order by at desc, id desc`

function presentRow(row: HistoryRow): Omit<StatementRow, 'balance'> & { effect: BalanceEffect } {
  const amount = BigInt(row.amount)
  const facts = { id: row.id, at: new Date(row.at), amount, hash: row.hash, nodes: null, paid: null, fee: null }
  switch (row.source) {
    case 'purchase': {
      const status = shownStatus(row.status)
      const { nodes, paid } = row
      return { ...facts, type: purchaseType(amount), nodes, paid: BigInt(paid), token: 'USDT', status, effect: purchaseEffect }
    }
    case 'withdrawal': {
      const { status, fee, owed } = row
      return {
        ...facts,
        type: withdrawalType,
        token: 'XCR',
        // A failed one is refunded in full.
        fee: status === 'failed' ? null : BigInt(fee),
        status,
        effect: withdrawalEffect({ amount, status, debt: { owed: BigInt(owed) } }),
      }
    }
    case 'distribution':
      return { ...facts, type: distributionType, token: 'XCR', status: 'completed', effect: distributionEffect(amount) }
  }
}
