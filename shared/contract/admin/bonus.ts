import { z } from 'zod'
import { email } from '../../email.ts'
import { MAX_NODES_AT_ONCE } from '../../sale.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { formatField } from './filters.ts'
import { adminProof, decisionBody, refusedProofs } from './proof.ts'
import { rowId } from '../rowId.ts'
import { numberedPageQuery, pagingFields, searchText } from '../paging.ts'
import { note } from './note.ts'

export const BONUS_ROWS_PER_PAGE = 15

/** Maximum number of accounts per "grant all due" call, limited by the request body's size. */
export const MAX_BONUS_GRANTS = 1_500

export const bonusRow = z.object({
  userId: z.uuid(),
  userEmail: z.string(),
  /** The part of the e-mail address before the @. */
  userName: z.string(),
  paidNodes: z.int(),
  /** One for each ten paid nodes. */
  bonusEligible: z.int(),
  bonusReceived: z.int(),
  bonusPending: z.int(),
})
export type BonusRow = z.output<typeof bonusRow>

/** What the list can be narrowed to: the status of a row. */
export const bonusFilters = ['pending', 'done', 'not_applicable'] as const
export type BonusFilter = (typeof bonusFilters)[number]
export const bonusSorts = ['pending', 'paid', 'received'] as const
export type BonusSort = (typeof bonusSorts)[number]

const bonusFilter = {
  email: searchText.optional(),
  status: z.enum(bonusFilters).optional(),
  sort: z.enum(bonusSorts).optional(),
}

/** All users, most pending first unless `sort` says otherwise. */
export const listBonusStatus = endpoint({
  method: 'GET',
  path: '/api/admin/bonus-status',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: numberedPageQuery(BONUS_ROWS_PER_PAGE).extend(bonusFilter),
  response: z.object({
    users: z.array(bonusRow),
    ...pagingFields,
    /** Totals of all matches of a search or filter. */
    summary: z.object({ count: z.int(), paidNodes: z.int(), bonusReceived: z.int(), bonusPending: z.int() }).optional(),
  }),
})

/** All matching rows as a file. */
export const exportBonus = endpoint({
  method: 'GET',
  path: '/api/admin/bonus-status/export',
  access: 'admin',
  roles: ['finance'],
  limit: 'export',
  query: z.object({ ...bonusFilter, ...formatField }),
  response: z.never(),
})

/** Any number within the supply. */
export const assignBonus = endpoint({
  method: 'POST',
  path: '/api/admin/assign-bonus',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  body: adminProof.extend({
    userEmail: email,
    quantity: z.int('enter a valid user ID and quantity').min(1, 'enter a valid user ID and quantity').max(MAX_NODES_AT_ONCE),
    notes: note.optional(),
    /** What the page shows as due. The call is refused if another number is due now: somebody may have granted it already. */
    due: z.int().min(0).optional(),
  }),
  response: z.object({ message: z.string(), nodeNumbers: z.array(z.int()) }),
  idempotent: true,
  errors: ['not_found', 'insufficient_supply', 'bonus_due_changed', ...refusedProofs],
})

/** Preview of "grant all due": limited to one call, most pending first; the rest remains due. */
export const listBonusDue = endpoint({
  method: 'GET',
  path: '/api/admin/bonus-due',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({ users: z.array(bonusRow), totalNodes: z.int(), remaining: z.int() }),
})

/** Grants each account its bonus pending at that moment: all of them, or none if the supply does not suffice. */
export const grantDueBonus = endpoint({
  method: 'POST',
  path: '/api/admin/assign-bonus/due',
  access: 'admin',
  roles: ['finance'],
  approvers: ['finance'],
  limit: 'none',
  body: decisionBody.extend({ userIds: z.array(rowId).min(1).max(MAX_BONUS_GRANTS) }),
  response: z.object({ message: z.string(), granted: z.array(bonusRow) }),
  idempotent: true,
  errors: ['insufficient_supply', ...refusedProofs],
})
