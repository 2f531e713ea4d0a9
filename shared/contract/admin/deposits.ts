import { z } from 'zod'
import { email } from '../../email.ts'
import { overridden } from '../../objections.ts'
import { MAX_NODES_AT_ONCE } from '../../sale.ts'
import { address, transactionHash } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { pageQuery, pagingFields, searchText } from '../paging.ts'
import { rowId } from '../rowId.ts'
import { formatField, rangeFields, sortField } from './filters.ts'
import { adminProof, refusedProofs } from './proof.ts'
import { REVIEWS_PER_PAGE } from './purchases.ts'
import { note, reason } from './note.ts'

export const DEPOSITS_PER_PAGE = 20

const states = ['seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned'] as const
const reasons = ['underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'] as const

/** What the list can be narrowed to. `waiting`: an administrator decides about it. The others are states. */
export const depositFilters = ['waiting', ...states] as const
export type DepositFilter = (typeof depositFilters)[number]

export const adminDeposit = z.object({
  id: z.uuid(),
  transactionHash,
  sender: address,
  amount,
  state: openEnum(states),
  /** Why it is or was in review. */
  reason: openEnum(reasons).nullable(),
  /** The account that paid, or probably did. */
  userId: z.uuid().nullable(),
  userEmail: z.string().nullable(),
  purchaseId: z.uuid().nullable(),
  refundHash: transactionHash.nullable(),
  refundedAmount: amount.nullable(),
  notes: z.string().nullable(),
  seenAt: instant,
  closedAt: instant.nullable(),
})
export type AdminDeposit = z.output<typeof adminDeposit>

const depositFilter = {
  /** A part of the account's email address, or the beginning of the sender's address or of the transaction's hash. */
  search: searchText.optional(),
  status: z.enum(depositFilters).optional(),
  kind: z.enum(reasons).optional(),
  ...rangeFields,
  ...sortField,
}

/** Deposits in every state, newest first unless `sort` says otherwise. */
export const listDeposits = endpoint({
  method: 'GET',
  path: '/api/admin/deposits',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(DEPOSITS_PER_PAGE).extend(depositFilter),
  response: z.object({
    deposits: z.array(adminDeposit),
    ...pagingFields,
    /** Totals of all matches of a search or filter. */
    summary: z.object({ count: z.int(), amount, refunded: amount }).nullable(),
  }),
})

/** All matching deposits as a file. */
export const exportDeposits = endpoint({
  method: 'GET',
  path: '/api/admin/deposits/export',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: z.object({ ...depositFilter, ...formatField }),
  response: z.never(),
})

/** Deposits that were ignored, automatically or by an administrator. */
export const listIgnoredDeposits = endpoint({
  method: 'GET',
  path: '/api/admin/ignored-deposits',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  /** Part of a sender's address, a transaction hash or an e-mail address. */
  query: pageQuery(REVIEWS_PER_PAGE).extend({ search: searchText.optional() }),
  response: z.object({
    deposits: z.array(
      z.object({
        id: z.uuid(),
        transactionHash,
        sender: address,
        amount,
        probableUserEmail: z.string().nullable(),
        notes: z.string().nullable(),
        seenAt: instant,
      }),
    ),
    ...pagingFields,
  }),
})

/** Maximum number of deposits of one sender in one decision. */
export const MAX_DEPOSITS_PER_DECISION = 500

const params = z.object({ id: rowId })
const decided = z.object({ message: z.string() })
/** Other deposits of the same sender to decide together with this one: all of them, or none. */
const others = z
  .array(rowId)
  .max(MAX_DEPOSITS_PER_DECISION - 1)
  .optional()
const closed = ['deposit_closed', 'not_found', 'request_in_progress'] as const

/**
 * Pays a purchase in review, or buys nodes for an account with the whole amount of the deposits. With `overridden` it is refused if anything
 * else speaks against it; `[]` asks what does.
 */
export const assignDeposit = endpoint({
  method: 'POST',
  path: '/api/admin/deposits/:id/assign',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  params,
  body: adminProof
    .extend({
      purchaseId: rowId.optional(),
      userEmail: email.optional(),
      quantity: z.int().min(1).max(MAX_NODES_AT_ONCE).optional(),
      note: note.min(1, 'Please enter a note.'),
      others,
      overridden: overridden.optional(),
    })
    .refine(({ purchaseId, userEmail, quantity }) => Boolean(purchaseId) !== Boolean(userEmail && quantity), {
      message: 'Specify a purchase, or an account and a quantity.',
    }),
  response: decided,
  idempotent: true,
  errors: [...closed, 'purchase_closed', 'insufficient_supply', 'objections_hold', 'transaction_foreign', ...refusedProofs],
})

/**
 * The refund is verified on the chain: USDT, to the sender, at most the deposited amount, and one transfer per deposit. A smaller
 * amount requires a reason, which the user sees. `purchase_open`: the rest of the money could still complete its purchase.
 */
export const refundDeposit = endpoint({
  method: 'POST',
  path: '/api/admin/deposits/:id/refunded',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ transactionHash, note: note.min(1, 'Please enter a note.'), reason: note.optional(), others }),
  response: decided,
  idempotent: true,
  errors: [
    ...closed,
    'purchase_open',
    'transaction_used',
    'transaction_foreign',
    'transaction_not_found',
    'reason_required',
    'chain_unavailable',
  ],
})

const ignorable = ['review', 'orphaned'] as const

/**
 * Closes a deposit in review for good; the nodes of an orphaned one stay frozen until it is mined again. `state` is the one in which it was
 * shown. Pages of earlier releases do not send it.
 */
export const ignoreDeposit = endpoint({
  method: 'POST',
  path: '/api/admin/deposits/:id/ignore',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ note: reason, others, state: z.enum(ignorable).optional() }),
  response: decided,
  idempotent: true,
  errors: [...closed, 'deposit_changed'],
})

/** Restores the nodes of an orphaned deposit; their purchase is owed its payment. */
export const restoreNodes = endpoint({
  method: 'POST',
  path: '/api/admin/deposits/:id/restore',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ note: reason }),
  response: decided,
  idempotent: true,
  errors: [...closed, 'nothing_to_restore', 'chain_unavailable'],
})
