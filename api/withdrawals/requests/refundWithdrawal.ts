import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'

export interface Refund {
  id: string
  /** The transaction that used up its nonce: a failed one or a cancellation. */
  transactionHash?: Hash
  /** Whether its owner cancelled it. */
  isCancelled?: true
}

/**
 * Closes a withdrawal as failed and refunds the gross amount. The caller has locked its row, verified that it can no longer be paid,
 * and refunds only one withdrawal per transaction (`moveXcr`).
 */
export async function refundWithdrawal(
  em: EntityManager,
  { config, clock, jobs }: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, transactionHash, isCancelled }: Refund,
): Promise<void> {
  const row = await query(em)
    .updateTable('withdrawals')
    .from('users')
    .set({ status: 'failed', refundedAt: clock.productNow(), ...(transactionHash && { transactionHash }) })
    .where('withdrawals.id', '=', id)
    .whereRef('users.id', '=', 'withdrawals.user')
    .where('withdrawals.status', 'in', ['pending', 'processing', 'manual_review'])
    .where('withdrawals.refundedAt', 'is', null)
    .returning([
      'withdrawals.user',
      'users.email',
      'users.language',
      'withdrawals.amount',
      'withdrawals.toAddress',
      'withdrawals.createdAt',
    ])
    .executeTakeFirst()
  if (!row) throw new Error(`The withdrawal ${id} that was to be refunded is closed.`)
  const amount = formatAmount(row.amount, { grouped: true })
  await notifyOwner(
    em,
    { config, jobs },
    {
      to: { id: row.user, email: row.email, language: row.language },
      topic: 'withdrawals',
      cause: `withdrawal_refunded:${id}`,
      link: '/history',
      ...(isCancelled
        ? {
            subject: sentence('Withdrawal cancelled: {amount} XCR returned', { amount }),
            paragraphs: [
              sentence(
                'You cancelled your withdrawal. The full amount, {amount} XCR, is back in your account. No fee was charged.',
                { amount },
              ),
              "If this wasn't you, change your password and contact us immediately.",
            ],
          }
        : {
            subject: sentence('Your withdrawal was not paid: {amount} XCR returned', { amount }),
            paragraphs: [
              sentence(
                'Your withdrawal could not be paid. The full amount, {amount} XCR, is back in your account. No fee was charged.',
                { amount },
              ),
            ],
          }),
      facts: [['To', row.toAddress], ...(transactionHash ? [['Transaction', transactionHash] as const] : []), ['Withdrawal', id]],
    },
  )
  await recordWithdrawalChanges(em, [row.user])
  const moved = await moveXcr(em, [
    {
      from: houseAccounts.payouts,
      to: row.user,
      amount: row.amount,
      cause: `refund:${id}`,
      date: utcDay(row.createdAt),
    },
  ])
  if (!moved) throw new Error(`The withdrawal ${id} has been refunded before.`)
}
