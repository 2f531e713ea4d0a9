import { z } from 'zod'
import { address } from '../../wire/address.ts'
import { amount } from '../../wire/amount.ts'
import { instant } from '../../wire/instant.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { formatField, rangeFields } from './filters.ts'
import { adminProof, refusedProofs } from './proof.ts'
import { frozenState } from '../freezes.ts'
import { rowId } from '../rowId.ts'
import { withdrawal } from '../withdrawals.ts'
import { pageQuery, pagingFields, searchFields, searchText } from '../paging.ts'
import { reason } from './note.ts'

export const USERS_PER_PAGE = 15

export const adminUserRow = z.object({
  id: z.uuid(),
  email: z.string(),
  walletAddress: address.nullable(),
  totalNodes: z.int(),
  availableXcr: amount,
  totalEarnedXcr: amount,
  /** A badge without permissions. */
  isAdmin: z.boolean(),
  /** Present while the account is frozen. */
  frozen: frozenState.optional(),
  createdAt: instant,
})
export type AdminUserRow = z.output<typeof adminUserRow>

/** What the list can be narrowed to. */
export const userFilters = ['frozen', 'with_nodes', 'without_nodes', 'without_wallet'] as const
export type UserFilter = (typeof userFilters)[number]

/** `balance` and `earned` are XCR; all but `oldest` and `email` begin with the largest. */
export const userSorts = ['newest', 'oldest', 'email', 'nodes', 'balance', 'earned'] as const
export type UserSort = (typeof userSorts)[number]

/** Times are those of the sign-up, amounts are the available XCR. */
const userFilter = { status: z.enum(userFilters).optional(), ...rangeFields, sort: z.enum(userSorts).optional() }

const users = z.object({ users: z.array(adminUserRow), ...pagingFields, ...searchFields })

/** Newest sign-up first unless `sort` says otherwise. */
export const listUsers = endpoint({
  method: 'GET',
  path: '/api/admin/users',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(USERS_PER_PAGE).extend(userFilter),
  response: users,
})

export const searchUsers = endpoint({
  method: 'GET',
  path: '/api/admin/users/search',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(USERS_PER_PAGE).extend({ email: searchText, ...userFilter }),
  response: users,
})

/** Sums over all matching accounts, however many there are. */
export const summarizeUsers = endpoint({
  method: 'GET',
  path: '/api/admin/users/summary',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: z.object({ email: searchText.optional(), ...userFilter }),
  response: z.object({ count: z.int(), nodes: z.int(), availableXcr: amount, totalEarnedXcr: amount }),
})

/** All matching accounts as a file. */
export const exportUsers = endpoint({
  method: 'GET',
  path: '/api/admin/users/export',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: z.object({ email: searchText.optional(), ...userFilter, ...formatField }),
  response: z.never(),
})

const userId = z.object({ id: rowId })

/** Generates a password that satisfies both character rules, ends the user's sessions and notifies the user by email. */
export const resetUserPassword = endpoint({
  method: 'POST',
  path: '/api/admin/users/:id/reset-password',
  access: 'admin',
  roles: ['support'],
  limit: 'none',
  params: userId,
  response: z.object({ userEmail: z.string(), temporaryPassword: z.string(), message: z.string() }),
  errors: ['not_found'],
})

/**
 * Removes a lost authenticator: at once with another administrator's approval, otherwise after 24 hours. The user is notified by email, and
 * withdrawals are on hold for a day from then on.
 */
export const resetUserAuthenticator = endpoint({
  method: 'POST',
  path: '/api/admin/users/:id/reset-authenticator',
  access: 'admin',
  roles: ['support'],
  approvers: [],
  limit: 'otp',
  params: userId,
  body: adminProof.extend({ reason }),
  /** `resetsAt` is null if it is removed. */
  response: z.object({ message: z.string(), resetsAt: instant.nullable() }),
  errors: ['not_found', 'otp_not_enabled', ...refusedProofs],
})

export const cancelAuthenticatorReset = endpoint({
  method: 'POST',
  path: '/api/admin/users/:id/reset-authenticator/cancel',
  access: 'admin',
  roles: ['support'],
  limit: 'none',
  params: userId,
  response: z.object({ message: z.string() }),
  errors: ['not_found'],
})

/**
 * Freezes the account as its owner can with the link of a security mail (money.md 39), or cancels its planned thaw, and ends its sessions.
 * The user is notified by email.
 */
export const freezeUser = endpoint({
  method: 'POST',
  path: '/api/admin/users/:id/freeze',
  access: 'admin',
  roles: ['support', 'finance'],
  limit: 'none',
  params: userId,
  body: z.object({ reason }),
  response: z.object({ message: z.string() }),
  errors: ['not_found'],
})

/** Thaws the account at once. Its withdrawals stay on hold for a day, and the user is notified by email. */
export const thawUser = endpoint({
  method: 'POST',
  path: '/api/admin/users/:id/thaw',
  access: 'admin',
  roles: ['support'],
  limit: 'none',
  params: userId,
  body: z.object({ reason }),
  response: z.object({ message: z.string() }),
  errors: ['not_found', 'account_not_frozen'],
})

/** Completed withdrawals, and the four figures of the dialog. */
export const getXcrDetails = endpoint({
  method: 'GET',
  path: '/api/admin/users/:id/xcr-details',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  params: userId,
  response: z.object({
    withdrawals: z.array(withdrawal),
    totalNodes: z.int(),
    availableXcr: amount,
    totalEarnedXcr: amount,
    completed: z.object({ totalAmount: amount, count: z.int() }),
    /** Distinct destinations of completed withdrawals. */
    addresses: z.array(address),
  }),
  errors: ['not_found'],
})
