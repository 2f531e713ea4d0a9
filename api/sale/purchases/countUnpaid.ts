import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import { unnest } from '#api/platform/db/unnest.ts'

/** An account that has held nodes unpaid for this long, all holds together, is paused. */
const MAX_UNPAID_TIME = 2 * RESERVATION_TIME
export const PAUSE_TIME = 30 * MINUTE

/**
 * Locks an account before its purchase, whose hold may end (money.md 15): a withdrawal of it has locked the account when it waits for a
 * step-up mark, and a request that replaces the reservation has locked the mark when it waits for the purchase.
 */
export const lockBeforePurchase = (em: EntityManager, userId: string) =>
  query(em).selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()

interface EndedHold {
  userId: string
  /** In milliseconds; an expired or uncovered hold counts with its full time. */
  heldFor?: number
}

/**
 * Counts the time of unpaid holds that ended. However often a reservation is replaced or released, it adds up. The caller has locked the
 * purchases and the supply.
 */
export async function countUnpaid(em: EntityManager, ended: readonly EndedHold[], now: Date): Promise<void> {
  const holds = ended.map(({ userId, heldFor = RESERVATION_TIME }) => ({ id: userId, seconds: Math.round(heldFor / SECOND) }))
  // Not `for update`, for which each transaction that inserts a row of the account would be waited for, with the supply locked.
  await query(em)
    .updateTable('users')
    .from(unnest('hold', { id: 'uuid', seconds: 'int' }, holds))
    .set((eb) => {
      const total = eb('users.unpaidHoldSeconds', '+', eb.ref('hold.seconds'))
      const isOver = eb(total, '>=', MAX_UNPAID_TIME / SECOND)
      const pausedUntil = eb.val(new Date(now.getTime() + PAUSE_TIME))
      return {
        unpaidHoldSeconds: eb.case().when(isOver).then(0).else(total).end(),
        reservationsPausedUntil: eb.case().when(isOver).then(pausedUntil).else(eb.ref('users.reservationsPausedUntil')).end(),
      }
    })
    .whereRef('users.id', '=', 'hold.id')
    .execute()
}

/** Ends the count, because a purchase of the account is confirmed. The caller has locked the supply. */
export const forgetUnpaid = (em: EntityManager, userId: string) =>
  query(em)
    .updateTable('users')
    .set({ unpaidHoldSeconds: 0 })
    .where('id', '=', userId)
    .where('unpaidHoldSeconds', '>', 0)
    .execute()

export const isTooLong = (seconds: number): boolean => seconds * SECOND >= MAX_UNPAID_TIME

/** For how long a reservation has held nodes, in milliseconds. A clock that was set back, or is another process's, takes nothing away. */
export const heldTime = (openedAt: Date, now: Date): number =>
  Math.min(Math.max(now.getTime() - openedAt.getTime(), 0), RESERVATION_TIME)
