import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { nonceLost } from './errors.ts'
import { lockWithdrawal, noteOnWithdrawal } from './lockWithdrawal.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

/**
 * Lets the worker pay a withdrawal that waited for a person. One that was signed keeps its nonce: its own bytes are sent again, or
 * replaced there (money.md 24).
 *
 * @throws 404; 409 `withdrawal_closed` unless it waits for a person, and if its nonce was used by another transaction.
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
  await noteOnWithdrawal(em, { id, note: notes })
  await recordWithdrawalChanges(em, [user])
}
