import { z } from 'zod'
import { overridden } from '../../objections.ts'
import { address, transactionHash } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { formatField, rangeFields, sortField } from './filters.ts'
import { adminProof, refusedProofs } from './proof.ts'
import { purchase } from '../purchases.ts'
import { rowId } from '../rowId.ts'
import { numberedPageQuery, pageQuery, pagingFields, searchFields, searchText } from '../paging.ts'
import { note, reason } from './note.ts'

export const PURCHASES_PER_PAGE = 15

/** What the list can be narrowed to. `waiting`: it is in review. The others are statuses. */
export const purchaseFilters = ['waiting', 'pending', 'confirmed', 'cancelled', 'failed'] as const
export type PurchaseFilter = (typeof purchaseFilters)[number]

export const purchaseKinds = ['paid', 'bonus'] as const
export type PurchaseKind = (typeof purchaseKinds)[number]

const purchaseFilter = {
  email: searchText.optional(),
  status: z.enum(purchaseFilters).optional(),
  kind: z.enum(purchaseKinds).optional(),
  ...rangeFields,
  ...sortField,
}

/** Newest first unless `sort` says otherwise; bonus purchases included, reservations not. */
export const listAdminPurchases = endpoint({
  method: 'GET',
  path: '/api/admin/purchases',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(PURCHASES_PER_PAGE).extend(purchaseFilter),
  response: z.object({
    purchases: z.array(purchase),
    ...pagingFields,
    ...searchFields,
    /** Totals of all matches of a search or filter; nodes are the allocated ones. */
    summary: z.object({ purchaseCount: z.int(), paidNodes: z.int(), bonusNodes: z.int(), totalNodes: z.int() }).nullable(),
  }),
})

/** All matching rows as a file. */
export const downloadPurchases = endpoint({
  method: 'GET',
  path: '/api/admin/purchases/download',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: z.object({ ...purchaseFilter, ...formatField }),
  response: z.never(),
})

export const reviewDeposit = z.object({
  id: z.uuid(),
  transactionHash,
  sender: address,
  amount,
  /** `orphaned`: it had paid for nodes and disappeared from the chain; the nodes are frozen. */
  reason: openEnum(['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched', 'orphaned']),
  /** The database was restored after it, and may no longer know that it was refunded (money.md 42). */
  mayBeRefunded: z.boolean().optional(),
  /** The accounts that have proven its wallet by a signature, before it or since, the last one first. */
  provers: z.array(z.object({ userId: z.uuid(), email: z.string(), provenAt: instant })).optional(),
  /** The accounts that have reported its transaction for a purchase that is not confirmed, at most ten. Anybody can. */
  reporters: z.array(z.object({ userId: z.uuid(), email: z.string() })).optional(),
  /** The account that it probably comes from: the one it was found to belong to, unless only others have proven its wallet. */
  probableUserEmail: z.string().nullable(),
  probableUserId: z.uuid().nullable().optional(),
  /** The purchase it is attached to. */
  purchaseId: z.uuid().nullable(),
  /** Whole nodes that the amount buys at the price of its block. */
  affordableNodes: z.int(),
  seenAt: instant,
  /** Five business days after it was seen: the promised due date of the review. */
  dueBy: instant,
})
export type ReviewDeposit = z.output<typeof reviewDeposit>

/** Cases per page: a purchase, or the deposits of one sender. */
export const REVIEWS_PER_PAGE = 20

const reviewedPurchase = purchase.extend({ seenAt: instant, dueBy: instant })

/** Deposits of one sender in review. An orphaned one is in a group of its own. */
export const reviewGroup = z.object({
  sender: address,
  /** Oldest first; at most `MAX_DEPOSITS_PER_DECISION`. */
  depositIds: z.array(z.uuid()).min(1),
  /** Number of all of them, including those beyond that limit. */
  count: z.int(),
  amount,
  affordableNodes: z.int(),
  seenAt: instant,
  dueBy: instant,
})
export type ReviewGroup = z.output<typeof reviewGroup>

/** Cases in review, oldest first, by page. */
export const listPendingReviews = endpoint({
  method: 'GET',
  path: '/api/admin/pending-reviews',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: numberedPageQuery(REVIEWS_PER_PAGE),
  response: z.object({
    purchases: z.array(reviewedPurchase),
    /** Number of groups on this page. */
    deposits: z.array(reviewDeposit),
    groups: z.array(reviewGroup),
    /** Purchases of other pages that these deposits are attached to. */
    otherPurchases: z.array(purchase),
    /** Sum of all deposits in review, without orphaned ones. */
    unmatchedUsdt: amount,
    ...pagingFields,
  }),
})

const params = z.object({ id: rowId })
const decided = z.object({ message: z.string(), purchase })
/** `request_in_progress`: a payment for it is being settled right now. */
const closed = ['purchase_closed', 'not_found', 'request_in_progress'] as const

/**
 * Confirms and allocates without a hash; the purchase is still owed a deposit unless it has one (money.md 9). With `overridden` it is refused
 * if anything else speaks against it; `[]` asks what does.
 */
export const approvePurchase = endpoint({
  method: 'POST',
  path: '/api/admin/purchase/:id/approve',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  params,
  body: adminProof.extend({ notes: note.optional(), overridden: overridden.optional() }),
  response: decided,
  idempotent: true,
  errors: [...closed, 'insufficient_supply', 'objections_hold', 'refund_unknown', 'transaction_foreign', ...refusedProofs],
})

export const rejectPurchase = endpoint({
  method: 'POST',
  path: '/api/admin/purchase/:id/reject',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ notes: note.optional() }),
  response: decided,
  idempotent: true,
  errors: closed,
})

export const cancelPurchase = endpoint({
  method: 'POST',
  path: '/api/admin/purchase/:id/cancel',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ reason }),
  response: decided,
  idempotent: true,
  errors: closed,
})

/**
 * Verifies the transfer on the chain. It is refused with everything that speaks against it unless `overridden` names that, or `override` sets
 * it aside unseen, either with a note; a used hash always is.
 */
export const manualConfirmPurchase = endpoint({
  method: 'POST',
  path: '/api/admin/purchase/:id/manual-confirm',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  params,
  body: adminProof
    .extend({
      transactionHash,
      overridden: overridden.optional(),
      override: z.boolean().optional(),
      notes: note.optional(),
    })
    .refine(({ override, overridden = [], notes }) => !(override || overridden.length > 0) || Boolean(notes), {
      path: ['notes'],
      message: 'Please enter a note explaining why.',
    }),
  response: decided,
  idempotent: true,
  errors: [
    ...closed,
    'insufficient_supply',
    'objections_hold',
    'transaction_used',
    'transaction_foreign',
    'transaction_not_found',
    'chain_unavailable',
    ...refusedProofs,
  ],
})
