import type { EntityManager } from '@mikro-orm/postgresql'
import type { PaymentStatus, Purchase, PurchaseResult } from '#shared/contract/purchases.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
// SQL as text: the statement and the back office's list embed these joins in their own SQL.
import { sql } from '#api/platform/db/sql.ts'

export interface PurchaseRow {
  id: string
  user_id: string
  email: string
  requested_quantity: number
  final_quantity: number | null
  amount: string
  node_numbers: number[] | null
  transaction_hash: `0x${string}` | null
  status: PaymentStatus
  result: PurchaseResult
  confirmed_against_chain: boolean
  admin_notes: string | null
  created_at: string
  received: string | null
  block_number: string | null
  head_number: string | null
}

export interface PurchaseFilter {
  userId: string
  id?: string
  /** Number of confirmations that a payment needs. */
  confirmations: number
}

/** SQL that joins the payments of purchase `p` as `d`. */
export const WITH_DEPOSITS = `left join lateral (
       select sum(amount) as received, max(block_number) as block_number,
         (array_agg(transaction_hash order by block_number desc, id))[1] as transaction_hash
       from deposits where purchase_id = p.id and block_number is not null and sender = p.wallet and state not in ('refunded', 'ignored')
     ) d on true`

/** SQL for the transaction hash that the buyer sees, and for whether the purchase is visible to the buyer, from `p` and `d`. */
export const SHOWN_HASH = 'coalesce(p.transaction_hash, d.transaction_hash, p.claimed_hash)'
export const IS_SHOWN = `(p.posted_at is not null or (p.status = 'reserved' and d.block_number is not null))`

/** SQL for a `PurchaseRow` of `p`. `chainId` is the SQL parameter of the payment chain's id. */
export const purchaseColumns = `p.id, p.user_id, u.email, p.requested_quantity, p.final_quantity, p.amount, p.status, p.result, p.confirmed_against_chain, p.admin_notes, p.created_at,
       ${SHOWN_HASH} as transaction_hash, n.node_numbers, d.received, d.block_number, c.head_number`
export const withPurchaseFacts = (chainId: string): string => `join users u on u.id = p.user_id
     left join lateral (select array_agg(number order by number) as node_numbers from nodes where purchase_id = p.id) n on true
     ${WITH_DEPOSITS}
     left join chain_progress c on c.chain_id = ${chainId}`

/** A visible reservation has a payment and is about to become pending. */
export const shownStatus = (status: PaymentStatus): PaymentStatus => (status === 'reserved' ? 'pending' : status)

/**
 * An account's purchases, latest first, each with its nodes and the progress of its payment.
 *
 * A reservation is listed only once it was reported or its payment was seen. It is then shown as pending.
 */
export async function listPurchases(em: EntityManager, { userId, id, confirmations }: PurchaseFilter): Promise<Purchase[]> {
  const rows = await sql<PurchaseRow>(
    em,
    `select ${purchaseColumns} from purchases p ${withPurchaseFacts('$3')}
     where p.user_id = $1 and ($2::uuid is null or p.id = $2) and ${IS_SHOWN}
     order by p.created_at desc, p.id desc`,
    [userId, id ?? null, PAYMENT_CHAIN_ID],
  )
  return rows.map((row) => presentPurchase(row, confirmations))
}

export const presentPurchase = (row: PurchaseRow, confirmations: number): Purchase => ({
  id: row.id,
  user: { id: row.user_id, email: row.email },
  requestedQuantity: row.requested_quantity,
  finalQuantity: row.final_quantity,
  purchaseAmountUsdt: BigInt(row.amount),
  nodeNumbers: row.node_numbers ?? [],
  transactionHash: row.transaction_hash,
  paymentStatus: shownStatus(row.status),
  purchaseResult: row.result,
  ...(row.confirmed_against_chain && { confirmedAgainstChain: true }),
  adminNotes: row.admin_notes,
  createdAt: new Date(row.created_at),
  payment: presentPayment(row, confirmations),
})

function presentPayment({ received, block_number, head_number, status }: PurchaseRow, needed: number): Purchase['payment'] {
  if (received === null || block_number === null) return null
  const depth = Number(BigInt(head_number ?? 0) - BigInt(block_number)) + 1
  const confirmations = status === 'confirmed' ? needed : Math.min(Math.max(depth, 0), needed)
  return { confirmations, confirmationsNeeded: needed, received: BigInt(received) }
}
