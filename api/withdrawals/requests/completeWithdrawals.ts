import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { queueMails } from '#api/platform/mail/queueMail.ts'
import type { Reader } from '#api/platform/mail/Reader.ts'
import { say } from '#api/platform/mail/say.ts'
import { writeMail } from '#api/platform/mail/writeMail.ts'
import type { Services } from '#api/platform/services.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

export interface Completion {
  id: string
  /** The transfer that has paid it, for good. */
  transactionHash: Hash
  transferOrdinal: number
}

interface CompletedRow extends Reader {
  id: string
  user_id: string
  amount: string
  fee: string
  to_address: Address
  transaction_hash: Hash
  created_at: string
}

/**
 * Closes withdrawals as paid: their fees move, their owners are told. The caller has locked their rows and knows that none is closed.
 *
 * Many at once, because a block pays hundreds.
 */
export async function completeWithdrawals(
  em: EntityManager,
  { config, clock, jobs }: Pick<Services, 'config' | 'clock' | 'jobs'>,
  completions: readonly Completion[],
): Promise<void> {
  if (completions.length === 0) return
  const rows = await sql<CompletedRow>(
    em,
    `update withdrawals w
     set status = 'completed', completed_at = $4, transaction_hash = new.hash, transfer_ordinal = new.ordinal, review_reason = null
     from unnest($1::uuid[], $2::text[], $3::int[]) new (id, hash, ordinal), users u
     where w.id = new.id and u.id = w.user_id and w.status in ('pending', 'processing', 'manual_review')
     returning w.id, w.user_id, u.email, u.language, w.amount, w.fee, w.to_address, w.transaction_hash, w.created_at`,
    [
      completions.map(({ id }) => id),
      completions.map(({ transactionHash }) => transactionHash),
      completions.map(({ transferOrdinal }) => transferOrdinal),
      clock.productNow(),
    ],
  )
  if (rows.length !== completions.length) throw new Error('A withdrawal that was to be completed is closed.')

  await queueMails(
    em,
    jobs,
    rows.map((row) => paidMail(row, config)),
  )
  await recordWithdrawalChanges(
    em,
    rows.map((row) => row.user_id),
  )

  const fees = rows.filter(({ fee }) => BigInt(fee) > 0n)
  if (fees.length > 0)
    await moveXcr(
      em,
      fees.map(({ id, fee, created_at }) => ({
        from: houseAccounts.payouts,
        to: houseAccounts.fees,
        amount: BigInt(fee),
        cause: `fee:${id}`,
        date: utcDay(new Date(created_at)),
      })),
    )
}

function paidMail(row: CompletedRow, config: Services['config']) {
  const [amount, fee] = [BigInt(row.amount), BigInt(row.fee)]
  const net = formatAmount(amount - fee)
  return writeMail(row, config, {
    subject: say('{amount} XCR were paid to your wallet', { amount: net }),
    paragraphs: ['Your withdrawal is paid.'],
    facts: [
      ['Withdrawn', `${formatAmount(amount)} XCR`],
      ['Fee', `${formatAmount(fee)} XCR`],
      ['Paid', `${net} XCR`],
      ['To', row.to_address],
      ['Transaction', row.transaction_hash],
      ['Look it up', `${config.XCR_EXPLORER_URL}/tx/${row.transaction_hash}`],
      ['Withdrawal', row.id],
    ],
  })
}
