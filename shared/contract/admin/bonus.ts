import { z } from 'zod'
import { email } from '../../email.ts'
import { endpoint } from '../endpoint.ts'
import { rowId } from '../rowId.ts'
import { pageNumber, pagingFields } from './paging.ts'

export const BONUS_ROWS_PER_PAGE = 15

/** How many accounts one call of "grant all due" may name: a body holds no more. */
export const BONUS_GRANTS_AT_ONCE = 1_500

export const bonusRow = z.object({
  userId: z.uuid(),
  userEmail: z.string(),
  /** The part of the e-mail before the at sign. */
  userName: z.string(),
  paidNodes: z.int(),
  /** One for each ten paid nodes. */
  bonusEligible: z.int(),
  bonusReceived: z.int(),
  bonusPending: z.int(),
})
export type BonusRow = z.output<typeof bonusRow>

/** Every user; most pending first. */
export const listBonusStatus = endpoint({
  method: 'GET',
  path: '/api/admin/bonus-status',
  access: 'admin',
  query: z.object({ page: pageNumber }),
  response: z.object({ users: z.array(bonusRow), ...pagingFields }),
})

/** Any number within the supply. */
export const assignBonus = endpoint({
  method: 'POST',
  path: '/api/admin/assign-bonus',
  access: 'admin',
  body: z.object({
    userEmail: email,
    quantity: z.int('enter a valid user ID and quantity').min(1, 'enter a valid user ID and quantity').max(1_000_000),
    notes: z.string().trim().max(2_000).optional(),
  }),
  response: z.object({ message: z.string(), nodeNumbers: z.array(z.int()) }),
  idempotent: true,
  errors: ['not_found', 'insufficient_supply'],
})

/** What "grant all due" would grant: as many as one call may name, most pending first; the rest is due once they have theirs. */
export const listBonusDue = endpoint({
  method: 'GET',
  path: '/api/admin/bonus-due',
  access: 'admin',
  response: z.object({ users: z.array(bonusRow), totalNodes: z.int(), remaining: z.int() }),
})

/** Grants to each what is pending for it at that moment: all of them, or none if the supply does not suffice. */
export const grantDueBonus = endpoint({
  method: 'POST',
  path: '/api/admin/assign-bonus/due',
  access: 'admin',
  body: z.object({ userIds: z.array(rowId).min(1).max(BONUS_GRANTS_AT_ONCE) }),
  response: z.object({ message: z.string(), granted: z.array(bonusRow) }),
  idempotent: true,
  errors: ['insufficient_supply'],
})
