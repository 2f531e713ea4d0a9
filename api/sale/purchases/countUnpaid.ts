import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { User } from '#api/entities/User.ts'

/** After this many requests that held supply and were not paid, an account pauses. */
const UNPAID_HOLDS = 2
const PAUSE = 30 * MINUTE

/** Counts a hold that ended without a payment. The caller has locked the purchase and the supply. */
export async function countUnpaid(em: EntityManager, userId: string, now: Date): Promise<void> {
  const user = await em.findOneOrFail(User, userId, { lockMode: LockMode.PESSIMISTIC_WRITE })
  user.unpaidExpiries += 1
  if (user.unpaidExpiries < UNPAID_HOLDS) return
  user.unpaidExpiries = 0
  user.reservationsPausedUntil = new Date(now.getTime() + PAUSE)
}
