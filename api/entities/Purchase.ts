import { defineEntity, p } from '@mikro-orm/postgresql'
import { paymentStatuses, purchaseResults } from '#shared/contract/purchases.ts'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** Statuses of requests that still expect or hold a payment. */
export const openStatuses = ['reserved', 'pending', 'manual_review'] as const

/**
 * Why a request was closed without nodes. A request that the product closed itself is still confirmed by a transfer mined in its
 * time; one closed by a person is not.
 */
export const closedReasons = ['expired', 'replaced', 'released', 'unpaid', 'administrator'] as const

/** A request for nodes, from its reservation to its end. Price, wallet and deposit address are fixed when it is created. */
export const PurchaseSchema = defineEntity({
  name: 'Purchase',
  tableName: 'purchases',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    status: p.enum(paymentStatuses),
    result: p.enum(purchaseResults).default('normal'),
    requestedQuantity: p.integer(),
    /** Null until the nodes are allocated. */
    finalQuantity: p.integer().nullable(),
    unitPrice: amountColumn(),
    /** Quantity times unit price; zero for a bonus. */
    amount: amountColumn(),
    /** The paying wallet; null for a bonus. Later changes of the account's wallet do not affect it. */
    wallet: addressColumn().nullable(),
    depositAddress: addressColumn().nullable(),
    /** The supply that this request currently holds; part of `supply.reserved`. */
    heldQuantity: p.integer().default(0),
    /** The hash reported by the buyer's browser. An unverified claim that only ranks candidates. */
    claimedHash: hashColumn().nullable().index(),
    /** The hash of the transfer that paid it, or the one with which an administrator confirmed it. */
    transactionHash: hashColumn().nullable().index(),
    /**
     * Confirmed by an administrator before its transfer was seen: the first matching transfer attaches to it and allocates
     * nothing.
     */
    owedDeposit: p.boolean().default(false),
    /** An administrator confirmed it although the chain did not show its payment, whether or not one arrived later. */
    confirmedAgainstChain: p.boolean().default(false),
    adminNotes: p.text().nullable(),
    /** Product time, which is displayed. */
    createdAt: instantColumn(),
    /** Real time, which is compared with blocks. */
    openedAt: instantColumn(),
    /** The real time until which it holds supply without payment. */
    expiresAt: instantColumn().nullable(),
    /** Product time. */
    confirmedAt: instantColumn().nullable(),
    /** Real time. */
    closedAt: instantColumn().nullable(),
    closedReason: p.enum(closedReasons).nullable(),
    /** When it became a purchase: the buyer's browser reported a payment, or a payment was found. Null for a reservation. */
    postedAt: instantColumn().nullable(),
  },
  indexes: [
    { properties: ['user', 'createdAt'] },
    { properties: ['wallet', 'status'] },
    // The rows listed in the back office. Reservations, most of which are never paid, are excluded.
    {
      name: 'purchases_listed',
      expression: 'create index purchases_listed on purchases (created_at, id) where posted_at is not null',
    },
    // For the back office's filter by status.
    {
      name: 'purchases_listed_by_status',
      expression: 'create index purchases_listed_by_status on purchases (status, created_at, id) where posted_at is not null',
    },
    {
      name: 'purchases_by_amount',
      expression: 'create index purchases_by_amount on purchases (amount, id) where posted_at is not null',
    },
    {
      name: 'purchases_in_review',
      expression: `create index purchases_in_review on purchases (id) where status = 'manual_review'`,
    },
    {
      name: 'purchases_holding',
      expression: 'create index purchases_holding on purchases (wallet) where held_quantity > 0',
    },
    {
      name: 'purchases_expiring',
      expression: `create index purchases_expiring on purchases (expires_at) where status in ('reserved', 'pending')`,
    },
  ],
  uniques: [
    // Prevents concurrent requests from opening two reservations.
    {
      name: 'purchases_one_reservation',
      expression: `create unique index purchases_one_reservation on purchases (user_id) where status = 'reserved'`,
    },
  ],
  checks: [
    { name: 'purchases_quantity', expression: 'requested_quantity > 0' },
    { name: 'purchases_held', expression: 'held_quantity = 0 or held_quantity = requested_quantity' },
  ],
})

export class Purchase extends PurchaseSchema.class {}
PurchaseSchema.setClass(Purchase)
