import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { completeWithdrawals } from './completeWithdrawals.ts'
import { alreadySigned, transferUnsuitable, transferUsed } from './errors.ts'
import { lockWithdrawal, addWithdrawalNote } from './lockWithdrawal.ts'
import type { Payment } from './readPayment.ts'

/**
 * Completes a withdrawal that an operator paid by hand (money.md 28).
 *
 * @throws 404; 409 `withdrawal_closed` if it is closed or was signed by us, `transaction_used`, `transaction_foreign`.
 */
export async function markWithdrawalPaid(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, payment, notes }: { id: string; payment: Payment; notes?: string | undefined },
): Promise<void> {
  const { transactionHash, transfers, blockTime } = payment
  const withdrawal = await lockWithdrawal(em, { id, states: ['pending', 'manual_review'] })
  if (withdrawal.payout) throw alreadySigned(withdrawal.status)
  if (blockTime <= withdrawal.requestedAt) throw transferUnsuitable('This transaction is older than the withdrawal.')

  // Serializes concurrent calls with the same transaction, so that the second sees the transfer the first used.
  await lockUntilCommit(em, lockOf(transactionHash, 28))
  // A payout of ours pays the withdrawal it was signed for, even if it is not settled yet.
  const own = await query(em).selectFrom('payout_attempts').select('id').where('hash', '=', transactionHash).executeTakeFirst()
  if (own) throw transferUsed()
  const used = await query(em)
    .selectFrom('withdrawals')
    .select('transferOrdinal')
    .where('transactionHash', '=', transactionHash)
    .where('transferOrdinal', 'is not', null)
    .execute()
  const exact = transfers.flatMap(({ recipient, amount }, ordinal) =>
    recipient === withdrawal.recipient && amount === withdrawal.net ? [ordinal] : [],
  )
  if (exact.length === 0)
    throw transferUnsuitable(
      `This transaction does not transfer exactly ${formatAmount(withdrawal.net)} XCR to ${withdrawal.recipient}.`,
    )
  const transferOrdinal = exact.find((ordinal) => !used.some((row) => row.transferOrdinal === ordinal))
  if (transferOrdinal === undefined) throw transferUsed()

  await addWithdrawalNote(em, { id, note: notes })
  await completeWithdrawals(em, services, [{ id, transactionHash, transferOrdinal }])
}
