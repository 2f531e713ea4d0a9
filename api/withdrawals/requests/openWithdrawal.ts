import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getDailyLimit, listWithdrawals } from '#shared/contract/withdrawals.ts'
import { utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { InsufficientXcr, moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { insufficientXcr, messageUsed } from './errors.ts'
import type { Review } from './findReviewReason.ts'

export interface NewWithdrawal {
  id: string
  userId: string
  amount: bigint
  fee: bigint
  toAddress: Address
  review: Review
  signedMessage: string
  signature: Hex
  /** Real time. */
  now: Date
  productNow: Date
}

/** The hash that makes a signed message work once, in hex. The register names the withdrawal by it. */
export const hashMessage = (message: string): string => createHash('sha256').update(message).digest('hex')

/**
 * Stores a withdrawal and debits the account. The caller has checked that it is allowed; this function enforces that the message is new
 * and the balance is sufficient, also under concurrency.
 *
 * @throws 409 `withdrawal_message_used` or `insufficient_xcr`.
 */
export async function openWithdrawal(em: EntityManager, withdrawal: NewWithdrawal): Promise<void> {
  const { id, userId, amount, fee, toAddress, review, signedMessage, signature, now, productNow } = withdrawal
  // A concurrent insert of the same message waits here for the first transaction to end.
  const inserted = await query(em)
    .insertInto('withdrawals')
    .values({
      id,
      user: userId,
      amount,
      fee,
      toAddress,
      status: review.reviewReason ? 'manual_review' : 'pending',
      ...review,
      messageHash: hashMessage(signedMessage),
      signedMessage,
      signature,
      createdAt: productNow,
      requestedAt: now,
    })
    .onConflict((conflict) => conflict.column('messageHash').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw messageUsed()
  await recordChange(em, { userId, keys: [getAuthUser.path, listWithdrawals.path, getDailyLimit.path, getWaiting.path] })
  const debit = { from: userId, to: houseAccounts.payouts, amount, cause: `withdrawal:${id}`, date: utcDay(productNow) }
  await moveXcr(em, [debit]).catch((error: unknown) => {
    throw error instanceof InsufficientXcr ? insufficientXcr(error.available) : error
  })
}
