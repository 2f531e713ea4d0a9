import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { User } from '#api/entities/User.ts'

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
  const user = await em.findOneOrFail(User, userId, { lockMode: LockMode.PESSIMISTIC_WRITE })
  user.unpaidHoldSeconds += Math.round(heldFor / SECOND)
  if (!isTooLong(user.unpaidHoldSeconds)) return
  user.unpaidHoldSeconds = 0
  user.reservationsPausedUntil = new Date(now.getTime() + PAUSE_TIME)
}

export const isTooLong = (seconds: number): boolean => seconds * SECOND >= MAX_UNPAID_TIME

/** For how long a reservation has held nodes, in milliseconds. */
export const heldTime = (openedAt: Date, now: Date): number => Math.min(now.getTime() - openedAt.getTime(), RESERVATION_TIME)
