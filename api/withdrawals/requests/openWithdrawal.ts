import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { getAuthUser } from '#shared/contract/identity.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
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
  const inserted = await sql(
    em,
    `insert into withdrawals
       (id, user_id, amount, fee, to_address, status, review_reason, message_hash, signed_message, signature, created_at, requested_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (message_hash) do nothing returning id`,
    [
      id,
      userId,
      amount.toString(),
      fee.toString(),
      toAddress,
      reviewReason ? 'manual_review' : 'pending',
      reviewReason ?? null,
      createHash('sha256').update(signedMessage).digest('hex'),
      signedMessage,
      signature,
      productNow,
      now,
    ],
  )
  if (inserted.length === 0) throw messageUsed()
  await recordChange(em, { userId, keys: [getAuthUser.path, listWithdrawals.path] })
  const debit = { from: userId, to: houseAccounts.payouts, amount, cause: `withdrawal:${id}`, date: utcDay(productNow) }
  await moveXcr(em, [debit]).catch((error: unknown) => {
    throw error instanceof InsufficientXcr ? insufficientXcr(error.available) : error
  })
}
