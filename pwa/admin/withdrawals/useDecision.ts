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

/** Sends a decision on a withdrawal in review with the typed note, reason or hash. */
export const useDecision = ({ decision, withdrawal, onClosed }: WithdrawalDecision) =>
  useRowDecision({
    decide: (text: string, options) => decide(decision, withdrawal.id, text, options),
    done: translate(texts[decision].done),
    failed: translate(texts[decision].failed),
    refreshes: [listAdminWithdrawals.path, searchAdminWithdrawals.path],
    onSettled: onClosed,
  })

function decide(decision: Decision, id: string, text: string, options: CallOptions) {
  const params = { id }
  if (decision === 'approve') return api(approveWithdrawal, { params, body: text ? { notes: text } : {} }, options)
  if (decision === 'reject') return api(rejectWithdrawal, { params, body: { reason: text } }, options)
  return api(markWithdrawalPaid, { params, body: { transactionHash: text.toLowerCase() as `0x${string}` } }, options)
}
