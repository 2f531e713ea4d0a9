import { defineEntity, p } from '@mikro-orm/postgresql'
import { paymentStatuses, purchaseResults } from '#shared/contract/purchases.ts'
import { addressColumn, amountColumn, hashColumn, idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** Requests that still expect, or hold, a payment. */
export const openStatuses = ['reserved', 'pending', 'manual_review'] as const

/**
 * Why a request was closed without nodes. One that the product closed by itself is still served by a transfer mined in its time;
 * one that a person closed is not.
 */
export const closedReasons = ['expired', 'replaced', 'released', 'unpaid', 'administrator'] as const

/** A request for nodes, from its reservation to its end. Price, wallet and deposit address are frozen when it is made. */
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
    /** The wallet that will pay; null for a bonus. A later change of the account's wallet does not touch it. */
    wallet: addressColumn().nullable(),
    depositAddress: addressColumn().nullable(),
    /** Supply this request holds at this moment; part of `supply.reserved`. */
    heldQuantity: p.integer().default(0),
    /** The hash the buyer's browser reported. A claim, not a key: it only orders candidates. */
    claimedHash: hashColumn().nullable().index(),
    /** The hash of the transfer that paid it, or the one an administrator confirmed it with. */
    transactionHash: hashColumn().nullable().index(),
    /** Confirmed by a person before its transfer was seen: the first transfer that fits attaches and allocates nothing. */
    owedDeposit: p.boolean().default(false),
    adminNotes: p.text().nullable(),
    /** Product time, as a person sees it. */
    createdAt: instantColumn(),
    /** Real time: what blocks are compared with. */
    openedAt: instantColumn(),
    /** Real time until which it holds supply unpaid. */
    expiresAt: instantColumn().nullable(),
    /** Product time. */
    confirmedAt: instantColumn().nullable(),
    /** Real time. */
    closedAt: instantColumn().nullable(),
    closedReason: p.enum(closedReasons).nullable(),
    /** When it became a purchase: the buyer's browser reported it, or its payment was found. Null for a mere reservation. */
    postedAt: instantColumn().nullable(),
  },
  indexes: [
    { properties: ['user', 'createdAt'] },
    { properties: ['wallet', 'status'] },
    // What the back office lists. Reservations, of which most come to nothing, are none of them.
    {
      name: 'purchases_listed',
      expression: 'create index purchases_listed on purchases (created_at, id) where posted_at is not null',
    },
    {
      name: 'purchases_in_review',
      expression: `create index purchases_in_review on purchases (id) where status = 'manual_review'`,
    },
    {
      name: 'purchases_expiring',
      expression: `create index purchases_expiring on purchases (expires_at) where status in ('reserved', 'pending')`,
    },
  ],
  uniques: [
    // Two requests in one moment cannot both open a reservation.
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
