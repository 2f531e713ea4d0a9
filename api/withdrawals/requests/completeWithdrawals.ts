import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { utcDay } from '#shared/dates.ts'
import { notifyOwners, type OwnerMessage } from '#api/accounts/inbox/notifyOwners.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

export interface Completion {
  id: string
  /** The final transfer that paid it. */
  transactionHash: Hash
  transferOrdinal: number
}

/**
 * Completes withdrawals: moves their fees and emails their owners. The caller has locked the rows and verified that they are open.
 *
 * Takes a batch, because one block can pay hundreds.
 */
export async function completeWithdrawals(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  completions: readonly Completion[],
): Promise<void> {
  if (completions.length === 0) return
  const { clock, config } = services
  const rows = await writeCompletions(em, completions, clock.productNow())
  if (rows.length !== completions.length) throw new Error('A withdrawal that was to be completed is closed.')

  await notifyOwners(em, services, { topic: 'withdrawals', messages: rows.map((row) => describePaid(row, config)) })
  await recordWithdrawalChanges(
    em,
    rows.map(({ user }) => user),
  )

  const fees = rows.filter(({ fee }) => fee > 0n)
  if (fees.length > 0)
    await moveXcr(
      em,
      fees.map(({ id, fee, createdAt }) => ({
        from: houseAccounts.payouts,
        to: houseAccounts.fees,
        amount: fee,
        cause: `fee:${id}`,
        date: utcDay(createdAt),
      })),
    )
}

const writeCompletions = (em: EntityManager, completions: readonly Completion[], completedAt: Date) =>
  query(em)
    .updateTable('withdrawals')
    .from(
      unnest(
        'paid',
        { id: 'uuid', hash: 'text', ordinal: 'int' },
        completions.map(({ id, transactionHash, transferOrdinal }) => ({ id, hash: transactionHash, ordinal: transferOrdinal })),
      ),
    )
    .from('users')
    .set((eb) => ({
      status: 'completed',
      completedAt,
      transactionHash: eb.ref('paid.hash'),
      transferOrdinal: eb.ref('paid.ordinal'),
      reviewReason: null,
    }))
    .whereRef('withdrawals.id', '=', 'paid.id')
    .whereRef('users.id', '=', 'withdrawals.user')
    .where('withdrawals.status', 'in', ['pending', 'processing', 'manual_review'])
    .returning([
      'withdrawals.id',
      'withdrawals.user',
      'users.email',
      'users.language',
      'withdrawals.amount',
      'withdrawals.fee',
      'withdrawals.toAddress',
      'paid.hash',
      'withdrawals.createdAt',
    ])
    .execute()

function describePaid(row: Awaited<ReturnType<typeof writeCompletions>>[number], config: Services['config']): OwnerMessage {
  const { amount, fee } = row
  const [withdrawn, kept, paid] = [amount, fee, amount - fee].map((xcr) => formatAmount(xcr, { grouped: true }))
  return {
    to: { id: row.user, email: row.email, language: row.language },
    cause: `withdrawal_paid:${row.id}`,
    link: '/history',
    subject: sentence('{amount} XCR was paid to your wallet', { amount: paid! }),
    paragraphs: ['Your withdrawal has been paid.'],
    facts: [
      ['Withdrawn', `${withdrawn} XCR`],
      ['Fee', `${kept} XCR`],
      ['Paid', `${paid} XCR`],
      ['To', row.toAddress],
      ['Transaction', row.hash],
      ['Look it up', `${config.XCR_EXPLORER_URL}/tx/${row.hash}`],
      ['Withdrawal', row.id],
    ],
  }
}
