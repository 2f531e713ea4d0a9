import type { EntityManager } from '@mikro-orm/postgresql'
import { hasFrozenAccount } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import { holdReasonRequired, nonceLost, ownerFrozen } from './errors.ts'
import { lockWithdrawal, addWithdrawalNote } from './lockWithdrawal.ts'
import { recordWithdrawalChanges } from './recordWithdrawalChanges.ts'

/**
 * Releases a withdrawal in review for payout. One that is already signed keeps its nonce: its stored bytes are sent again or replaced
 * at that nonce (money.md 24). Before the end of its hold it needs a reason (17).
 *
 * @param now real time.
 *
 * @throws 404; 400 `reason_required`; 409 `withdrawal_closed` unless the withdrawal is in review, if another transaction used its nonce,
 * or `account_frozen` if nothing is signed and its account is frozen (39).
 */
export async function approveWithdrawal(
  em: EntityManager,
  { id, notes, now }: { id: string; notes?: string | undefined; now: Date },
): Promise<void> {
  const { payout, heldUntil } = await lockWithdrawal(em, { id, states: ['manual_review'] })
  if (payout && payout.state !== 'sent') throw nonceLost()
  // Not locked: a concurrent freeze waits for this withdrawal, and then puts it on hold.
  const frozen = await query(em)
    .selectFrom('withdrawals as w')
    .select('w.id')
    .where('w.id', '=', id)
    .where(hasFrozenAccount(now))
    .executeTakeFirst()
  if (frozen && !payout) throw ownerFrozen()
  if (heldUntil && heldUntil > now && !notes) throw holdReasonRequired()
  const { user } = await query(em)
    .updateTable('withdrawals')
    .set({ status: payout ? 'processing' : 'pending', reviewReason: null, heldUntil: null })
    .where('id', '=', id)
    .returning('user')
    .executeTakeFirstOrThrow()
  await addWithdrawalNote(em, { id, note: notes })
  await recordWithdrawalChanges(em, [user])
}
