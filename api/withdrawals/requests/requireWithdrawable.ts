import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { findAmountProblem } from '#shared/withdrawalRules.ts'
import { accountFrozen, isFrozen } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import { readSettings, withdrawalFeeOf } from '#api/sale/settings/readSettings.ts'
import { readDailyLimit } from './dailyLimit.ts'
import { readOwed } from './debts.ts'
import * as refuse from './errors.ts'

export interface WithdrawalCheck {
  userId: string
  amount: bigint
  /** Real time. */
  now: Date
  /** Locks wallet and authenticator against changes, and the account against other withdrawals, until the transaction ends. */
  lock?: true
}

/** The terms that apply to a withdrawal now. */
export interface WithdrawalTermsInForce {
  wallet: Address
  fee: bigint
  /** Withdrawals of the account are on hold until then. */
  reviewedUntil: Date | null
  /** When these were read, as `Clock.dueNow`. */
  readAt: Date
}

/**
 * Checks whether the account may withdraw this amount now: first for a freeze and open debts, then by the specification's validation rules in their
 * order, then by its own daily limit.
 *
 * @throws 400, 403 or 409, each with the text of the specification.
 */
export async function requireWithdrawable(
  em: EntityManager,
  clock: Pick<Clock, 'dueTime'>,
  { userId, amount, now, lock }: WithdrawalCheck,
): Promise<WithdrawalTermsInForce> {
  const account = await query(em)
    .selectFrom('users')
    .leftJoin('accounts', 'accounts.id', 'users.id')
    .select([
      'users.walletAddress',
      'users.otpEnabledAt',
      'users.withdrawalsReviewedUntil',
      'users.frozenAt',
      'users.thawsAt',
      'accounts.balance',
      clock.dueTime().as('readAt'),
    ])
    .where('users.id', '=', userId)
    .$if(lock ?? false, (row) => row.forNoKeyUpdate('users'))
    .executeTakeFirst()
  if (!account) throw new Error(`There is no user ${userId}.`)
  if (isFrozen(account, account.readAt)) throw accountFrozen()
  const owed = await readOwed(em, userId)
  if (owed > 0n) throw refuse.debtOpen(owed)
  const available = account.balance ?? 0n
  const fee = withdrawalFeeOf(await readSettings(em, now))
  const problem = findAmountProblem({ amount, available, fee })
  if (problem) throw amount > available ? refuse.insufficientXcr(available) : refuse.amountInvalid(problem)
  if (!account.walletAddress) throw refuse.walletRequired()
  if (!account.otpEnabledAt) throw refuse.otpNotEnabled()
  const { limit, left, growsAt } = await readDailyLimit(em, clock, userId)
  if (limit !== null && left !== null && amount > left) throw refuse.aboveDailyLimit({ limit, left, growsAt })
  return { wallet: account.walletAddress, fee, reviewedUntil: account.withdrawalsReviewedUntil, readAt: account.readAt }
}
