import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { DAY } from '#shared/dates.ts'
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

/** The reason why a withdrawal needs review before its payout, undefined if none applies. If several apply, the most serious one. */
export async function findReviewReason(
  em: EntityManager,
  { userId, wallet, amount, limit, isForeign, reviewedUntil, now }: ReviewInput,
): Promise<WithdrawalReviewReason | undefined> {
  if (await hasAcknowledgedTransfer(em, wallet)) return 'paid_before'
  if (isForeign) return 'foreign_contract'
  if (reviewedUntil && reviewedUntil > now) return 'recent_change'
  if (await hasReplacedProven(em, { userId, wallet, now })) return 'recent_change'
  if (amount > limit) return 'above_limit'
  return amount + (await sumUnreviewed(em, { userId, now })) > limit ? 'above_limit' : undefined
}

/**
 * The sum withdrawn within 24 hours without an administrator's approval, so that a large amount cannot avoid review by being split. The
 * caller has locked the user, so that concurrent requests count each other.
 */
async function sumUnreviewed(em: EntityManager, { userId, now }: Pick<ReviewInput, 'userId' | 'now'>): Promise<bigint> {
  const since = new Date(now.getTime() - DAY)
  const { sum } = await query(em)
    .selectFrom('withdrawals as w')
    .select((eb) => eb.fn.sum<bigint | null>('w.amount').as('sum'))
    .where('w.user', '=', userId)
    .where('w.requestedAt', '>', since)
    .where('w.status', 'in', ['pending', 'processing', 'completed'])
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

/**
 * Whether this wallet replaced another, proven wallet within the last 24 hours. Reconnecting the same wallet does not count, because a
 * locked wallet is removed and registered again; neither does replacing an unproven one.
 */
async function hasReplacedProven(
  em: EntityManager,
  { userId, wallet, now }: Pick<ReviewInput, 'userId' | 'wallet' | 'now'>,
): Promise<boolean> {
  const replaced = await query(em)
    .selectFrom('wallet_registrations as taken')
    .select('taken.id')
    .where('taken.user', '=', userId)
    .where('taken.address', '=', wallet)
    .where('taken.registeredAt', '>', new Date(now.getTime() - DAY))
    .where(
      ({ selectFrom }) =>
        selectFrom('wallet_registrations as before')
          .select('before.address')
          .where('before.user', '=', userId)
          .where('before.provenAt', 'is not', null)
          .where(({ eb, refTuple }) =>
            eb(refTuple('before.registeredAt', 'before.id'), '<', refTuple('taken.registeredAt', 'taken.id')),
          )
          .orderBy('before.registeredAt', 'desc')
          .orderBy('before.id', 'desc')
          .limit(1),
      '<>',
      wallet,
    )
    .limit(1)
    .executeTakeFirst()
  return replaced !== undefined
}
