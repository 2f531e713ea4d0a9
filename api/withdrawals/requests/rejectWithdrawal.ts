import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import type { Services } from '#api/platform/services.ts'
import { reconciliationRequired } from './errors.ts'
import { lockWithdrawal, addWithdrawalNote } from './lockWithdrawal.ts'
import { refundWithdrawal } from './refundWithdrawal.ts'

/**
 * Rejects a withdrawal. One that was never signed is refunded at once. Otherwise the worker first mines a zero-value transaction to our
 * own address at its nonce, and the refund follows when that is final. If the payment is mined first, the withdrawal is paid (money.md
 * 24).
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
  const { payout } = await lockWithdrawal(em, { id, states: ['pending', 'manual_review', 'processing'] })
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
