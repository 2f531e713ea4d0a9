import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuthUser } from '#shared/contract/identity.ts'
import { query } from '#api/entities/tables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { isFrozen } from '../users/frozen.ts'
import { readWithdrawn } from '../users/readWithdrawn.ts'
import { isWalletProven } from '../users/isWalletProven.ts'

/** An account as shown to its owner. */
export async function presentUser(
  em: EntityManager,
  clock: Pick<Clock, 'dueTime'>,
  userId: string,
): Promise<AuthUser & { walletProven: boolean }> {
  const user = await query(em)
    .selectFrom('users as u')
    .leftJoin('accounts as a', 'a.id', 'u.id')
    .select(['u.id', 'u.email', 'u.walletAddress', 'u.profileImageUrl', 'u.frozenAt', 'u.thawsAt', 'a.balance', 'a.totalEarned'])
    .select(clock.dueTime().as('dueNow'))
    .select((eb) =>
      eb.selectFrom('nodes as n').select(eb.fn.countAll<number>().as('count')).whereRef('n.user', '=', 'u.id').as('totalNodes'),
    )
    .where('u.id', '=', userId)
    .executeTakeFirst()
  if (!user) throw new Error(`There is no user ${userId}.`)
  return {
    id: user.id,
    email: user.email,
    walletAddress: user.walletAddress,
    walletProven: await isWalletProven(em, userId),
    ...(user.profileImageUrl && { profileImageUrl: user.profileImageUrl }),
    // An account has no ledger row before its first reward.
    balance: { availableXcr: user.balance ?? 0n, totalEarnedXcr: user.totalEarned ?? 0n },
    totalNodes: user.totalNodes ?? 0,
    withdrawn: await readWithdrawn(em, userId),
    ...(isFrozen(user, user.dueNow) && { frozen: { thawsAt: user.thawsAt } }),
  }
}
