import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'

/** An account that has held nodes unpaid for this long, all holds together, is paused. */
const MAX_UNPAID_TIME = 2 * RESERVATION_TIME
export const PAUSE_TIME = 30 * MINUTE

/**
 * Counts the time of an unpaid hold that ended. However often a reservation is replaced or released, it adds up. The caller has locked the
 * purchase and the supply.
 *
 * @param heldFor in milliseconds; an expired or uncovered hold counts with its full time.
 */
export async function countUnpaid(
  em: EntityManager,
  userId: string,
  { now, heldFor = RESERVATION_TIME }: { now: Date; heldFor?: number },
): Promise<void> {
  // Not `for update`, for which each transaction that inserts a row of the account would be waited for, with the supply locked.
  await query(em)
    .updateTable('users')
    .set((eb) => {
      const total = eb('unpaidHoldSeconds', '+', Math.round(heldFor / SECOND))
      const isOver = eb(total, '>=', MAX_UNPAID_TIME / SECOND)
      const pausedUntil = eb.val(new Date(now.getTime() + PAUSE_TIME))
      return {
        unpaidHoldSeconds: eb.case().when(isOver).then(0).else(total).end(),
        reservationsPausedUntil: eb.case().when(isOver).then(pausedUntil).else(eb.ref('reservationsPausedUntil')).end(),
      }
    })
    .where('id', '=', userId)
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

/** For how long a reservation has held nodes, in milliseconds. */
export const heldTime = (openedAt: Date, now: Date): number => Math.min(now.getTime() - openedAt.getTime(), RESERVATION_TIME)
