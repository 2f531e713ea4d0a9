import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { getAuthUser } from '#shared/contract/identity.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { InsufficientXcr, moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { insufficientXcr, messageUsed } from './errors.ts'

export interface NewWithdrawal {
  id: string
  userId: string
  amount: bigint
  fee: bigint
  toAddress: Address
  /** Undefined: it is paid without anybody looking at it. */
  reviewReason: WithdrawalReviewReason | undefined
  signedMessage: string
  signature: Hex
  /** Real time. */
  now: Date
  productNow: Date
}

/**
 * Writes a withdrawal down and debits it. Whether it may be is the caller's to know; that the message is new and that there is enough XCR
 * is made sure of here, whoever else tries at the same moment.
 *
 * @throws 409 `withdrawal_message_used` or `insufficient_xcr`.
 */
export async function openWithdrawal(em: EntityManager, withdrawal: NewWithdrawal): Promise<void> {
  const { id, userId, amount, fee, toAddress, reviewReason, signedMessage, signature, now, productNow } = withdrawal
  // One that inserts the same message at the same moment waits here until the first is through.
  const inserted = await query(em)
    .insertInto('withdrawals')
    .values({
      id,
      user: userId,
      amount,
      fee,
      toAddress,
      status: reviewReason ? 'manual_review' : 'pending',
      reviewReason: reviewReason ?? null,
      messageHash: createHash('sha256').update(signedMessage).digest('hex'),
      signedMessage,
      signature,
      createdAt: productNow,
      requestedAt: now,
    })
    .onConflict((conflict) => conflict.column('messageHash').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw messageUsed()
  await recordChange(em, { userId, keys: [getAuthUser.path, listWithdrawals.path] })
  const debit = { from: userId, to: houseAccounts.payouts, amount, cause: `withdrawal:${id}`, date: utcDay(productNow) }
  await moveXcr(em, [debit]).catch((error: unknown) => {
    throw error instanceof InsufficientXcr ? insufficientXcr(error.available) : error
  })
}
