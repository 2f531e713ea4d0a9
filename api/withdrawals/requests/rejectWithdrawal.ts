import type { EntityManager } from '@mikro-orm/postgresql'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { query } from '#api/entities/tables.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import type { Services } from '#api/platform/services.ts'
import { reconciliationRequired } from './errors.ts'
import { lockWithdrawal, addWithdrawalNote } from './lockWithdrawal.ts'
import { refundWithdrawal } from './refundWithdrawal.ts'
import { type NonceCheck, requireKnownNonces } from './requireKnownNonces.ts'

const REJECTABLE: readonly WithdrawalStatus[] = ['pending', 'manual_review', 'processing']

/**
 * Checks, before the transaction, that no transaction that the database does not know may have paid a withdrawal that a rejection would
 * refund at once: after a restore, the worker may not have stopped payouts yet (money.md 26). A sent one is decided by its own nonce.
 */
export async function requireRejectable(
  em: EntityManager,
  { id, ...check }: { id: string } & Omit<NonceCheck, 'refusal'>,
): Promise<void> {
  const open = await query(em)
    .selectFrom('withdrawals as w')
    .leftJoin('payouts as p', 'p.withdrawal', 'w.id')
    .select('p.state')
    .where('w.id', '=', id)
    .where('w.status', 'in', REJECTABLE)
    .executeTakeFirst()
  if (open && open.state !== 'sent') await requireKnownNonces(em, { ...check, refusal: reconciliationRequired })
}

/**
 * Rejects a withdrawal. One that was never signed is refunded at once. Otherwise the worker first mines a zero-value transaction to our
 * own address at its nonce, and the refund follows when that is final. If the payment is mined first, the withdrawal is paid (money.md
 * 24). The caller has called `requireRejectable`.
 *
 * @returns `refunded`, or `cancelling` while the chain decides.
 * @throws 404; 409 `withdrawal_closed` if it is completed or failed, or if payouts are stopped and an unknown transaction may have paid
 * it.
 */
export async function rejectWithdrawal(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, reason }: { id: string; reason: string },
): Promise<'refunded' | 'cancelling'> {
  const { payout } = await lockWithdrawal(em, { id, states: REJECTABLE })
  await addWithdrawalNote(em, { id, note: reason })
  // `lost`: another transaction is final at its nonce, so none of ours can be mined.
  if (!payout || payout.state === 'lost') {
    // While payouts are stopped, an unknown transaction may have paid it.
    if (await arePayoutsStopped(em)) throw reconciliationRequired()
    await refundWithdrawal(em, services, { id })
    return 'refunded'
  }
  await query(em)
    .updateTable('payouts')
    .set((eb) => ({ cancelRequestedAt: eb.fn.coalesce('cancelRequestedAt', eb.val(services.clock.now())) }))
    .where('id', '=', payout.id)
    .execute()
  return 'cancelling'
}
