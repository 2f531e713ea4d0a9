import { z } from 'zod'
import { address, transactionHash } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { pageQuery, pagingFields, searchText } from '../paging.ts'
import { formatField, rangeFields, sortField } from './filters.ts'

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
