import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { User } from '#api/entities/User.ts'

/** An account is paused after this many expired unpaid holds in a row. */
const MAX_UNPAID_HOLDS = 2
const PAUSE_TIME = 30 * MINUTE

/** Counts an unpaid hold that ended. The caller has locked the purchase and the supply. */
export async function countUnpaid(em: EntityManager, userId: string, now: Date): Promise<void> {
  const user = await em.findOneOrFail(User, userId, { lockMode: LockMode.PESSIMISTIC_WRITE })
  user.unpaidExpiries += 1
  if (user.unpaidExpiries < MAX_UNPAID_HOLDS) return
  user.unpaidExpiries = 0
  user.reservationsPausedUntil = new Date(now.getTime() + PAUSE_TIME)
}
