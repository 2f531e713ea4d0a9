import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { HOLD_PERIOD } from '#api/accounts/users/holdWithdrawals.ts'
import { walletReplacedAt } from '#api/accounts/wallets/walletReplacedAt.ts'
import { query } from '#api/entities/tables.ts'

interface HoldInput {
  userId: string
  wallet: Address
  reviewedUntil: Date | null
  /** Real time. */
  now: Date
}

/** Until when a withdrawal to this wallet that is requested now is on hold (money.md 17). Null: it is not. */
export async function findHoldEnd(em: EntityManager, { userId, wallet, reviewedUntil, now }: HoldInput): Promise<Date | null> {
  const replacedAt = await walletReplacedAt(em, { userId, wallet, now })
  const ends = [reviewedUntil?.getTime() ?? 0, replacedAt ? replacedAt.getTime() + HOLD_PERIOD : 0]
  const end = Math.max(...ends)
  return end > now.getTime() ? new Date(end) : null
}

/** The same for the account's registered wallet, to announce it. The request decides anew, under its locks. */
export async function readHoldEnd(em: EntityManager, { userId, now }: Pick<HoldInput, 'userId' | 'now'>): Promise<Date | null> {
  const { walletAddress: wallet, withdrawalsReviewedUntil: reviewedUntil } = await query(em)
    .selectFrom('users')
    .select(['walletAddress', 'withdrawalsReviewedUntil'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return wallet && findHoldEnd(em, { userId, wallet, reviewedUntil, now })
}
