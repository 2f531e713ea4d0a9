import { z } from 'zod'
import { transactionHash } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { formatField, rangeFields, sortField } from './filters.ts'
import { rowId } from '../rowId.ts'
import { withdrawal } from '../withdrawals.ts'
import { pageQuery, pagingFields, searchFields, searchText } from '../paging.ts'
import { adminProof, decisionBody, refusedProofs } from './proof.ts'
import { note, reason } from './note.ts'

export const WITHDRAWALS_PER_PAGE = 20

/** The user's fields, plus those for an administrator's decision. */
export const adminWithdrawal = withdrawal.extend({
  userId: z.uuid(),
  /** Why it is in review; absent otherwise. */
  reviewReason: openEnum(['above_limit', 'recent_change', 'foreign_contract', 'unknown_outcome', 'paid_before']).nullable(),
  adminNotes: z.string().nullable(),
  /** A transaction that pays it was signed, so it can no longer be marked as paid. */
  hasAttempts: z.boolean(),
  /** The account's freeze, its planned thaw, and the end of the hold of its next withdrawals, all in real time. */
  account: z.object({ frozenAt: instant.nullable(), thawsAt: instant.nullable(), heldUntil: instant.nullable() }),
})
export type AdminWithdrawal = z.output<typeof adminWithdrawal>

const totals = z.object({ totalAmount: amount, totalCount: z.int() })

/**
 * What a list can be narrowed to. `waiting`: a person decides about it. `held`: on hold after a change of the account, and released by the
 * clock. The others are statuses.
 */
export const withdrawalFilters = ['waiting', 'held', 'pending', 'processing', 'completed', 'failed'] as const
export type WithdrawalFilter = (typeof withdrawalFilters)[number]

const status = z.enum(withdrawalFilters).optional()

const withdrawals = z.object({
  withdrawals: z.array(adminWithdrawal),
  ...pagingFields,
  ...searchFields,
  /** All but failed ones, by UTC day, newest first, of the last 30 days; a search does not filter them. */
  dailyStats: z.array(totals.extend({ date: z.iso.date() })),
  totalStats: totals,
})

/** Newest first. */
export const listAdminWithdrawals = endpoint({
  method: 'GET',
  path: '/api/admin/withdrawals',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(WITHDRAWALS_PER_PAGE).extend({ status, ...rangeFields, ...sortField }),
  response: withdrawals,
})

export const searchAdminWithdrawals = endpoint({
  method: 'GET',
  path: '/api/admin/withdrawals/search',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(WITHDRAWALS_PER_PAGE).extend({ email: searchText, status, ...rangeFields, ...sortField }),
  response: withdrawals,
})

/** Sums over all matching rows, however many there are. */
export const summarizeWithdrawals = endpoint({
  method: 'GET',
  path: '/api/admin/withdrawals/summary',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: z.object({ email: searchText.optional(), status, ...rangeFields }),
  response: z.object({ count: z.int(), amount, fees: amount }),
})

/** All matching rows as a file. */
export const exportWithdrawals = endpoint({
  method: 'GET',
  path: '/api/admin/withdrawals/export',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: z.object({ email: searchText.optional(), status, ...rangeFields, ...sortField, ...formatField }),
  response: z.never(),
})

const decided = z.object({ message: z.string(), withdrawal: adminWithdrawal })
const params = z.object({ id: rowId })
const closed = ['withdrawal_closed', 'not_found'] as const

/**
 * If two administrators decide on a row, the second is refused, whichever decisions they made: all three apply only to rows in
 * review. Marking as paid also applies to pending ones while payouts are stopped.
 *
 * With a signed transaction this only resends or reprices that one (money.md 24).
 */
export const approveWithdrawal = endpoint({
  method: 'POST',
  path: '/api/admin/withdrawals/:id/approve',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  params,
  /** The notes are required while the withdrawal is on hold. */
  body: adminProof.extend({ notes: note.optional() }),
  response: decided,
  idempotent: true,
  errors: ['account_frozen', ...closed, 'reason_required', ...refusedProofs],
})

/** Refunds, unless the chain has a transaction of a payout wallet that the database does not know. If one was signed, only after an empty transaction has used up its nonce. */
export const rejectWithdrawal = endpoint({
  method: 'POST',
  path: '/api/admin/withdrawals/:id/reject',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ reason }),
  response: decided,
  idempotent: true,
  errors: [...closed, 'chain_unavailable'],
})

/** money.md 28: the transfer is verified on the chain. */
export const markWithdrawalPaid = endpoint({
  method: 'POST',
  path: '/api/admin/withdrawals/:id/mark-paid',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  params,
  body: decisionBody.extend({ transactionHash }),
  response: decided,
  idempotent: true,
  errors: [...closed, 'transaction_used', 'transaction_foreign', 'chain_unavailable', ...refusedProofs],
})
