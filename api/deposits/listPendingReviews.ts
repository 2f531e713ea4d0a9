import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import type { listPendingReviews as contract, ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { addBusinessDays, REVIEW_BUSINESS_DAYS } from '#shared/businessDays.ts'
import { settingDefaults } from '#shared/settings.ts'
import { sql } from '../db/sql.ts'
import type { ReviewReason } from '../entities/Deposit.ts'
import { readAdminPurchases } from '../purchases/listAllPurchases.ts'
import { nodePriceOf } from '../settings/readSettings.ts'

interface WaitingDeposit {
  id: string
  transaction_hash: Hash
  sender: Address
  amount: string
  reason: ReviewReason | 'orphaned'
  email: string | null
  purchase_id: string | null
  first_seen_at: string
  price: string | null
}

const due = (seenAt: Date): { seenAt: Date; dueBy: Date } => ({ seenAt, dueBy: addBusinessDays(seenAt, REVIEW_BUSINESS_DAYS) })

/** What waits for a person, the longest waiting first. A purchase waits since its first payment was seen, or, without one, since it was made. */
export async function listPendingReviews(
  em: EntityManager,
  { confirmations }: { confirmations: number },
): Promise<Output<typeof contract>> {
  const waiting = await sql<{ id: string; seen_at: string }>(
    em,
    `select p.id, coalesce(d.seen_at, p.created_at) as seen_at from purchases p
     left join lateral (select min(first_seen_at) as seen_at from deposits where purchase_id = p.id and block_number is not null) d on true
     where p.status = 'manual_review' order by seen_at, p.id`,
  )
  const purchases = await readAdminPurchases(em, { ids: waiting.map(({ id }) => id), confirmations })
  const deposits = await readWaitingDeposits(em)
  return {
    purchases: purchases.map((purchase, index) => ({ ...purchase, ...due(new Date(waiting[index]!.seen_at)) })),
    deposits,
    unmatchedUsdt: deposits.reduce((sum, { amount, reason }) => (reason === 'orphaned' ? sum : sum + amount), 0n),
  }
}

async function readWaitingDeposits(em: EntityManager): Promise<ReviewDeposit[]> {
  const rows = await sql<WaitingDeposit>(
    em,
    `select d.id, d.transaction_hash, d.sender, d.amount,
       case d.state when 'orphaned' then 'orphaned' else d.review_reason end as reason, u.email, d.purchase_id, d.first_seen_at, s.price
     from deposits d left join users u on u.id = d.user_id
     left join lateral (
       select value as price from setting_changes where key = 'node_price_usdt' and effective_at <= d.block_time
       order by effective_at desc, id desc limit 1
     ) s on true
     where d.state = 'review' or (d.state = 'orphaned' and (d.state_before_orphaned in ('matched', 'assigned') or d.block_number is not null))
     order by d.first_seen_at, d.id`,
  )
  return rows.map((row) => ({
    id: row.id,
    transactionHash: row.transaction_hash,
    sender: row.sender,
    amount: BigInt(row.amount),
    reason: row.reason,
    probableUserEmail: row.email,
    purchaseId: row.purchase_id,
    affordableNodes: affordable(BigInt(row.amount), row.price),
    ...due(new Date(row.first_seen_at)),
  }))
}

/** Nobody is given more than that at once. */
const MOST_NODES = 1_000_000n

function affordable(amount: bigint, price: string | null): number {
  const unitPrice = nodePriceOf({ node_price_usdt: price ?? settingDefaults.node_price_usdt })
  if (unitPrice === 0n) return 0
  const nodes = amount / unitPrice
  return Number(nodes < MOST_NODES ? nodes : MOST_NODES)
}
