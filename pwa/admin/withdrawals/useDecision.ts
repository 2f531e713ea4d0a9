import {
  type AdminWithdrawal,
  approveWithdrawal,
  listAdminWithdrawals,
  markWithdrawalPaid,
  rejectWithdrawal,
  searchAdminWithdrawals,
} from '#shared/contract/admin/withdrawals.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { type Message, msg, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { decide } from '../proof/decide.ts'
import { useRowDecision } from '../useRowDecision.ts'
import type { Decision } from './decisions.ts'

const texts: Record<Decision, { done: Message; failed: Message }> = {
  approve: { done: msg('Withdrawal Approved'), failed: msg('Failed to approve withdrawal') },
  reject: { done: msg('Withdrawal Rejected'), failed: msg('Failed to reject withdrawal') },
  markPaid: { done: msg('Withdrawal Marked as Paid'), failed: msg('Failed to mark withdrawal as paid') },
}

interface WithdrawalDecision {
  decision: Decision
  withdrawal: AdminWithdrawal
  /** Called when nothing is left to decide, by this decision or another one. */
  onClosed: () => void
}

/** Sends a decision on a withdrawal in review with what was typed. */
export const useDecision = ({ decision, withdrawal, onClosed }: WithdrawalDecision) =>
  useRowDecision({
    decide: (entered: EnteredFields, options) => send(decision, withdrawal.id, entered, options),
    done: translate(texts[decision].done),
    failed: translate(texts[decision].failed),
    refreshes: [listAdminWithdrawals.path, searchAdminWithdrawals.path],
    onSettled: onClosed,
  })

interface EnteredFields {
  /** Empty for none, where it is optional. */
  reason: string
  /** Of the transfer that has paid it. */
  hash: `0x${string}` | undefined
}

function send(decision: Decision, id: string, { reason, hash }: EnteredFields, options: CallOptions) {
  const params = { id }
  if (decision === 'approve') return decide(approveWithdrawal, { params, body: reason ? { notes: reason } : {} }, options)
  if (decision === 'reject') return api(rejectWithdrawal, { params, body: { reason } }, options)
  return decide(markWithdrawalPaid, { params, body: { transactionHash: hash!, reason } }, options)
}
