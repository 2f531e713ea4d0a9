import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import type { Services } from '#api/platform/services.ts'
import { reconcileFirst } from './errors.ts'
import { lockWithdrawal, noteOnWithdrawal } from './lockWithdrawal.ts'
import { refundWithdrawal } from './refundWithdrawal.ts'

/**
 * Gives a withdrawal back. One for which nothing was signed, at once. Otherwise the worker first uses its nonce up with a transaction of
 * nothing to ourselves and refunds when that one is final; should the payment win, it is paid (money.md 24).
 *
 * @returns whether it is refunded; `cancelling` if the chain decides.
 * @throws 404; 409 `withdrawal_closed` if it is completed or failed, and while payouts are stopped if it may have been paid unknown to us.
 */
export async function rejectWithdrawal(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, reason }: { id: string; reason: string },
): Promise<'refunded' | 'cancelling'> {
  const { payout } = await lockWithdrawal(em, { id, states: ['pending', 'manual_review', 'processing'] })
  await noteOnWithdrawal(em, { id, note: reason })
  // `lost`: another transaction is final at its nonce, so that none of ours can be.
  if (!payout || payout.state === 'lost') {
    // A transaction that we do not know of, or did not find, may have paid it.
    if (await arePayoutsStopped(em)) throw reconcileFirst()
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
