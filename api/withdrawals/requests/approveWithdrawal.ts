import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { nonceLost } from './errors.ts'
import { lockWithdrawal, addWithdrawalNote } from './lockWithdrawal.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

/**
 * Releases a withdrawal in review for payout. One that is already signed keeps its nonce: its stored bytes are sent again or replaced
 * at that nonce (money.md 24).
 *
 * @throws 404; 409 `withdrawal_closed` unless the withdrawal is in review, or if another transaction used its nonce.
 */
export async function approveWithdrawal(
  em: EntityManager,
  { id, notes }: { id: string; notes?: string | undefined },
): Promise<void> {
  const { payout } = await lockWithdrawal(em, { id, states: ['manual_review'] })
  if (payout && payout.state !== 'sent') throw nonceLost()
  const { user } = await query(em)
    .updateTable('withdrawals')
    .set({ status: payout ? 'processing' : 'pending', reviewReason: null })
    .where('id', '=', id)
    .returning('user')
    .executeTakeFirstOrThrow()
  await addWithdrawalNote(em, { id, note: notes })
  await recordWithdrawalChanges(em, [user])
}
