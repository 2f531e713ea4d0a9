import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { type Withdrawal, MAX_WITHDRAWALS, type WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { query } from '#api/entities/tables.ts'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { hasNoPayout } from '#api/accounts/users/hasNoPayout.ts'

export interface WithdrawalFilter {
  userId: string
  id?: string
  status?: WithdrawalStatus
  /** The largest payout that the caps could ever allow (`readLargestPayout`); undefined without caps. */
  largest?: bigint | undefined
}

/** An account's withdrawals, newest first; only the given one if `id` is set. */
export async function listWithdrawals(
  em: EntityManager,
  { userId, id, status, largest }: WithdrawalFilter,
): Promise<Withdrawal[]> {
  const rows = await query(em)
    .selectFrom('withdrawals as w')
    .innerJoin('users as u', 'u.id', 'w.user')
    .leftJoin('debts as d', 'd.withdrawal', 'w.id')
    .select((eb) => [
      'w.id',
      'u.email as userEmail',
      'w.amount',
      'w.fee as feeAmount',
      'w.toAddress',
      'w.status',
      'w.createdAt',
      'w.transactionHash',
      'w.heldUntil',
      'w.reviewReason',
      hasNoPayout(eb).as('isUnsigned'),
      ARE_CAPPED.as('isCapped'),
      'd.owed',
      'd.closedAt',
    ])
    .where('w.user', '=', userId)
    .$if(id !== undefined, (where) => where.where('w.id', '=', id!))
    .$if(status !== undefined, (where) => where.where('w.status', '=', status!))
    .orderBy('w.createdAt', 'desc')
    .orderBy('w.id', 'desc')
    .limit(MAX_WITHDRAWALS)
    .execute()
  return rows.map(({ owed, closedAt, ...row }) => ({
    ...presentWaiting({ ...row, isCapped: row.isCapped || (largest !== undefined && row.amount - row.feeAmount > largest) }),
    ...(owed !== null && { debt: { owed, closedAt } }),
  }))
}

/** SQL expression: whether payouts wait for the caps. */
export const ARE_CAPPED = sql<boolean>`exists (select from payout_wallets where capped_since is not null)`

interface WaitingRow {
  status: WithdrawalStatus
  heldUntil: Date | null
  reviewReason: WithdrawalReviewReason | null
  isUnsigned: number | boolean
  isCapped: boolean
}

/** Adds what a withdrawal waits for, and whether its owner can cancel it. */
export function presentWaiting<R extends WaitingRow>({ heldUntil, reviewReason, isUnsigned, isCapped, ...row }: R) {
  const isInReview = row.status === 'manual_review'
  return {
    ...row,
    heldUntil: isInReview ? heldUntil : null,
    needsReview: isInReview && (reviewReason !== 'recent_change' || heldUntil === null),
    isCapped: isCapped && row.status === 'pending',
    canCancel: Boolean(isUnsigned) && (isInReview || row.status === 'pending'),
  }
}
