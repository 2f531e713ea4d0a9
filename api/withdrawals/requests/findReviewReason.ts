import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { DAY } from '#shared/dates.ts'
import { HOLD_PERIOD } from '#api/accounts/users/holdWithdrawals.ts'
import { walletReplacedAt } from '#api/accounts/wallets/walletReplacedAt.ts'
import { query } from '#api/entities/tables.ts'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { hasAcknowledgedTransfer } from '../payoutWallets/explainedTransfers.ts'

export interface ReviewInput {
  userId: string
  wallet: Address
  amount: bigint
  /** Withdrawals above this amount within 24 hours need review. */
  limit: bigint
  isForeign: boolean
  reviewedUntil: Date | null
  /** Real time. */
  now: Date
}

export interface Review {
  /** Why the withdrawal is not paid at once; null if it is. If several reasons apply, the most serious one. */
  reviewReason: WithdrawalReviewReason | null
  /** The end of its hold (money.md 17), whatever the reason. */
  heldUntil: Date | null
}

/** Whether a withdrawal is on hold, and whether a person decides on it. With `recent_change` only the clock does. */
export async function findReviewReason(em: EntityManager, input: ReviewInput): Promise<Review> {
  const heldUntil = await findHoldEnd(em, input)
  return { reviewReason: (await findReason(em, input)) ?? (heldUntil && 'recent_change'), heldUntil }
}

async function findHoldEnd(
  em: EntityManager,
  { userId, wallet, reviewedUntil, now }: Pick<ReviewInput, 'userId' | 'wallet' | 'reviewedUntil' | 'now'>,
): Promise<Date | null> {
  const replacedAt = await walletReplacedAt(em, { userId, wallet, now })
  const ends = [reviewedUntil?.getTime() ?? 0, replacedAt ? replacedAt.getTime() + HOLD_PERIOD : 0]
  const end = Math.max(...ends)
  return end > now.getTime() ? new Date(end) : null
}

/** The reason why a person has to decide. */
async function findReason(
  em: EntityManager,
  { userId, wallet, amount, limit, isForeign, now }: ReviewInput,
): Promise<WithdrawalReviewReason | undefined> {
  if (await hasAcknowledgedTransfer(em, wallet)) return 'paid_before'
  if (isForeign) return 'foreign_contract'
  return amount + (await sumUnreviewed(em, { userId, now })) > limit ? 'above_limit' : undefined
}

/**
 * The sum withdrawn within 24 hours without an administrator's approval, so that a large amount cannot avoid review by being split. A
 * held withdrawal counts from its request until 24 hours after its release: otherwise a day of held ones would be paid at once, together
 * with the next ones. The caller has locked the user, so that concurrent requests count each other.
 */
async function sumUnreviewed(em: EntityManager, { userId, now }: Pick<ReviewInput, 'userId' | 'now'>): Promise<bigint> {
  const since = new Date(now.getTime() - DAY)
  const { sum } = await query(em)
    .selectFrom('withdrawals as w')
    .select((eb) => eb.fn.sum<bigint | null>('w.amount').as('sum'))
    .where('w.user', '=', userId)
    .where((eb) => eb.or([eb('w.requestedAt', '>', since), eb('w.heldUntil', '>', since)]))
    .where((eb) =>
      eb.or([
        eb('w.status', 'in', ['pending', 'processing', 'completed']),
        eb.and([
          eb('w.status', '=', 'manual_review'),
          eb('w.reviewReason', '=', 'recent_change'),
          eb('w.heldUntil', 'is not', null),
        ]),
      ]),
    )
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom('audit_entries as e')
            .select('e.id')
            .where('e.action', 'in', ['withdrawal.approve', 'withdrawal.mark_paid'])
            .where('e.at', '>', since)
            .where('e.target', '=', sql<string>`'withdrawal:' || ${ref('w.id')}`),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return sum ?? 0n
}
