import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Reader } from '#api/platform/mail/Reader.ts'
import { say } from '#api/platform/mail/say.ts'
import type { Services } from '#api/platform/services.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

export interface Refund {
  id: string
  /** The transaction that used its nonce up: one that failed, or one of nothing. */
  transactionHash?: Hash
}

/**
 * Closes a withdrawal as failed and gives all of it back. The caller has locked its row and knows that nothing can pay it any more, and
 * refunds no other one in the transaction (`moveXcr`).
 */
export async function refundWithdrawal(
  em: EntityManager,
  { config, clock, jobs }: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, transactionHash }: Refund,
): Promise<void> {
  const [row] = await sql<Reader & { user_id: string; amount: string; to_address: Address; created_at: string }>(
    em,
    `update withdrawals w set status = 'failed', refunded_at = $2, transaction_hash = coalesce($3, transaction_hash)
     from users u
     where w.id = $1 and u.id = w.user_id and w.status in ('pending', 'processing', 'manual_review') and refunded_at is null
     returning w.user_id, u.email, u.language, w.amount, w.to_address, w.created_at`,
    [id, clock.productNow(), transactionHash ?? null],
  )
  if (!row) throw new Error(`The withdrawal ${id} that was to be refunded is closed.`)
  const amount = formatAmount(BigInt(row.amount))
  await mailOwner(
    em,
    { config, jobs },
    {
      to: row,
      subject: say('Your withdrawal was not paid: {amount} XCR are back', { amount }),
      paragraphs: [
        say('Your withdrawal could not be paid. All of it, {amount} XCR, is back in your account; no fee was taken.', { amount }),
      ],
      facts: [
        ['To', row.to_address],
        ...(transactionHash ? [['Transaction', transactionHash] as const] : []),
        ['Withdrawal', id],
      ],
    },
  )
  await recordWithdrawalChanges(em, [row.user_id])
  const moved = await moveXcr(em, [
    {
      from: houseAccounts.payouts,
      to: row.user_id,
      amount: BigInt(row.amount),
      cause: `refund:${id}`,
      date: utcDay(new Date(row.created_at)),
    },
  ])
  if (!moved) throw new Error(`The withdrawal ${id} has been refunded before.`)
}
