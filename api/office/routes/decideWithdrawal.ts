import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { formatAmount } from '#shared/amount.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { cancelling } from '#api/withdrawals/requests/errors.ts'
import { readAdminWithdrawals } from '../lists/listAllWithdrawals.ts'
import { lockWithdrawal } from '#api/withdrawals/requests/lockWithdrawal.ts'

export interface Decision {
  id: string
  /** The action in the audit log. */
  action: 'withdrawal.approve' | 'withdrawal.reject' | 'withdrawal.mark_paid'
  /** The deciding administrator. */
  actor: string
  clientAddress: string
  /** States that allow a decision. */
  states?: readonly WithdrawalStatus[]
}

/**
 * Applies an administrator's decision to a waiting withdrawal and audits the state before and after. Of two decisions on one row,
 * the second is rejected.
 *
 * @throws 404; 409 `withdrawal_closed`; any refusal of `work`.
 */
export async function decideWithdrawal<T>(
  em: EntityManager,
  { id, action, actor, clientAddress, states = ['manual_review'] }: Decision,
  work: () => Promise<T>,
): Promise<{ outcome: T; withdrawal: AdminWithdrawal }> {
  const { payout } = await lockWithdrawal(em, { id, states })
  const cancelled =
    payout &&
    (await query(em)
      .selectFrom('payouts')
      .select('id')
      .where('id', '=', payout.id)
      .where('state', '=', 'sent')
      .where('cancelRequestedAt', 'is not', null)
      .executeTakeFirst())
  if (cancelled) throw cancelling()
  const [before] = await readAdminWithdrawals(em, [id])
  const outcome = await work()
  const [after] = await readAdminWithdrawals(em, [id])
  recordAudit(em, {
    actor,
    action,
    target: `withdrawal:${id}`,
    ipAddress: clientAddress,
    before: recordOf(before!),
    after: { ...recordOf(after!), ...(typeof outcome === 'string' && { outcome }) },
  })
  return { outcome, withdrawal: after! }
}

/** A proposal shows it to its approver, whose approval is refused once any of it has changed. */
const recordOf = ({ userEmail, toAddress, amount, feeAmount, heldUntil, ...withdrawal }: AdminWithdrawal) => ({
  userEmail,
  toAddress,
  amount: formatAmount(amount),
  fee: formatAmount(feeAmount),
  status: withdrawal.status,
  reviewReason: withdrawal.reviewReason,
  heldUntil: heldUntil?.toISOString() ?? null,
  adminNotes: withdrawal.adminNotes,
  transactionHash: withdrawal.transactionHash,
})
