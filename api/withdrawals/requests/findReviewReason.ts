import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { wasPaidAsStranger } from '../payoutWallets/explainedTransfers.ts'

export interface ReviewQuestion {
  userId: string
  wallet: Address
  amount: bigint
  /** Above it, within a day, a person looks. */
  limit: bigint
  isForeign: boolean
  reviewedUntil: Date | null
  /** Real time. */
  now: Date
}

/** Why a person must look at a withdrawal before it is paid; undefined if nobody needs to. Of several reasons the gravest. */
export async function findReviewReason(
  em: EntityManager,
  { userId, wallet, amount, limit, isForeign, reviewedUntil, now }: ReviewQuestion,
): Promise<WithdrawalReviewReason | undefined> {
  if (await wasPaidAsStranger(em, wallet)) return 'paid_before'
  if (isForeign) return 'foreign_contract'
  if (reviewedUntil && reviewedUntil > now) return 'recent_change'
  if (await hasReplacedProven(em, { userId, wallet, now })) return 'recent_change'
  if (amount > limit) return 'above_limit'
  return amount + (await sumUnseen(em, { userId, now })) > limit ? 'above_limit' : undefined
}

/**
 * What the account has withdrawn within a day without anybody having looked at it: parts of a large amount are no smaller than it. The
 * caller has locked the user, so that two at once see each other.
 */
async function sumUnseen(em: EntityManager, { userId, now }: Pick<ReviewQuestion, 'userId' | 'now'>): Promise<bigint> {
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
 * Whether this wallet has taken the place of another, proven one within a day. The same one again does not count, because a
 * wallet that locks is removed and comes back; nor does a place that nobody had proven.
 */
async function hasReplacedProven(
  em: EntityManager,
  { userId, wallet, now }: Pick<ReviewQuestion, 'userId' | 'wallet' | 'now'>,
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
