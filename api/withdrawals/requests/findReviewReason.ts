import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { DAY } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
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
  const [row] = await sql<{ sum: string }>(
    em,
    `select coalesce(sum(amount), 0) as sum from withdrawals w
     where user_id = $1 and requested_at > $2 and status in ('pending', 'processing', 'completed') and not exists (
       select from audit_entries where action in ('withdrawal.approve', 'withdrawal.mark_paid') and at > $2 and target = 'withdrawal:' || w.id
     )`,
    [userId, new Date(now.getTime() - DAY)],
  )
  return BigInt(row!.sum)
}

/**
 * Whether this wallet has taken the place of another, proven one within a day. The same one again does not count, because a
 * wallet that locks is removed and comes back; nor does a place that nobody had proven.
 */
async function hasReplacedProven(
  em: EntityManager,
  { userId, wallet, now }: Pick<ReviewQuestion, 'userId' | 'wallet' | 'now'>,
): Promise<boolean> {
  const rows = await sql(
    em,
    `select from wallet_registrations taken
     where user_id = $1 and address = $2 and registered_at > $3 and (
       select address from wallet_registrations
       where user_id = $1 and proven_at is not null and (registered_at, id) < (taken.registered_at, taken.id)
       order by registered_at desc, id desc limit 1
     ) <> $2 limit 1`,
    [userId, wallet, new Date(now.getTime() - DAY)],
  )
  return rows.length > 0
}
