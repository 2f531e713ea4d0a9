import type { EntityManager } from '@mikro-orm/postgresql'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { arePayoutsStopped } from '../payoutWallets/arePayoutsStopped.ts'
import * as refuse from './errors.ts'
import { addWithdrawalNote, lockWithdrawal } from './lockWithdrawal.ts'
import { refundWithdrawal } from './refundWithdrawal.ts'

const CANCELLABLE: readonly WithdrawalStatus[] = ['pending', 'manual_review']

/** Refuses at once, before the chain is asked, to cancel a withdrawal that is closed or belongs to somebody else. */
export async function requireCancellable(em: EntityManager, { id, userId }: { id: string; userId: string }): Promise<void> {
  const row = await query(em)
    .selectFrom('withdrawals')
    .select('status')
    .where('id', '=', id)
    .where('user', '=', userId)
    .executeTakeFirst()
  if (!row) throw refuse.withdrawalUnknown()
  if (!CANCELLABLE.includes(row.status)) throw refuse.withdrawalClosed(row.status)
}

/**
 * Refunds a withdrawal at its owner's request. Only one that was never signed: the worker signs under the same lock. The caller has
 * checked that no unknown transaction paid it (`requireKnownNonces`).
 *
 * @throws 404; 409 `withdrawal_closed` if it is closed or signed, `payouts_stopped` while an unknown transaction may have paid it.
 */
export async function cancelWithdrawal(
  em: EntityManager,
  services: Pick<Services, 'config' | 'clock' | 'jobs'>,
  { id, user, clientAddress }: { id: string; user: Owner; clientAddress: string },
): Promise<void> {
  const { status, heldUntil, payout } = await lockWithdrawal(em, { id, owner: user.id, states: CANCELLABLE })
  if (payout) throw refuse.alreadySigned(status)
  if (await arePayoutsStopped(em)) throw refuse.payoutsStopped()
  await addWithdrawalNote(em, { id, note: 'Cancelled by its owner.' })
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'withdrawal.cancel',
    target: `withdrawal:${id}`,
    ipAddress: clientAddress,
    before: { status, heldUntil },
    after: { status: 'failed' },
  })
  // Last, because it locks the owner's account (`moveXcr`).
  await refundWithdrawal(em, services, { id, isCancelled: true })
}
