import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { hasAcknowledgedTransfer } from '../payoutWallets/explainedTransfers.ts'
import { findHoldEnd } from './findHoldEnd.ts'
import { sumUndecided } from './sumUndecided.ts'

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

/** The reason why a person has to decide. */
async function findReason(
  em: EntityManager,
  { userId, wallet, amount, limit, isForeign, now }: ReviewInput,
): Promise<WithdrawalReviewReason | undefined> {
  if (await hasAcknowledgedTransfer(em, wallet)) return 'paid_before'
  if (isForeign) return 'foreign_contract'
  return amount + (await sumUndecided(em, { userId, now })) > limit ? 'above_limit' : undefined
}
