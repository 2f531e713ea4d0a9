import type { EntityManager } from '@mikro-orm/postgresql'
import type { ExpressionBuilder } from 'kysely'
import { query, type Tables } from '#api/entities/tables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { refusal } from '#api/platform/errors.ts'

interface FreezeColumns {
  frozenAt: Date | null
  thawsAt: Date | null
}

/**
 * Whether an account is frozen at a real time. A planned thaw takes effect by the clock alone, without a job (money.md 39).
 *
 * @param now of `Clock.dueNow` where something is allowed by it.
 */
export const isFrozen = ({ frozenAt, thawsAt }: FreezeColumns, now: Date): boolean =>
  frozenAt !== null && (thawsAt === null || thawsAt > now)

/** SQL condition: the account of withdrawal `w` is frozen at a real time. */
export const hasFrozenAccount = (now: Date) => (eb: ExpressionBuilder<Tables & { w: Tables['withdrawals'] }, 'w'>) =>
  eb.exists(
    eb
      .selectFrom('users as u')
      .select('u.id')
      .whereRef('u.id', '=', 'w.user')
      .where('u.frozenAt', 'is not', null)
      .where((user) => user.or([user('u.thawsAt', 'is', null), user('u.thawsAt', '>', now)])),
  )

export const accountFrozen = () =>
  refusal(409, 'account_frozen', "Your account is frozen, so this isn't possible now. You can thaw it in Security Settings.")

/**
 * Refuses a change of a frozen account, and locks the account, so that a concurrent freeze waits for the change. Wallet changes and mailed
 * codes are locked before accounts, withdrawals after them.
 *
 * @throws 409 `account_frozen`.
 */
export async function requireNotFrozen(em: EntityManager, clock: Pick<Clock, 'dueTime'>, userId: string): Promise<void> {
  const account = await query(em)
    .selectFrom('users')
    .select(['frozenAt', 'thawsAt', clock.dueTime().as('dueNow')])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (account && isFrozen(account, account.dueNow)) throw accountFrozen()
}
