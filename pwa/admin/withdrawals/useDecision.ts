import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import {
  type AdminWithdrawal,
  approveWithdrawal,
  listAdminWithdrawals,
  markWithdrawalPaid,
  rejectWithdrawal,
  searchAdminWithdrawals,
} from '#shared/contract/admin/withdrawals.ts'
import { ApiError, type CallOptions } from '#shared/contract/client.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'
import { toastFailure } from '../toastFailure.ts'
import { useRefreshOffice } from '../useRefreshOffice.ts'
import type { Decision } from './decisions.ts'

interface DecisionTexts {
  done: string
  failed: string
}
const texts: Record<Decision, DecisionTexts> = {
  approve: { done: 'Withdrawal Approved', failed: 'Failed to approve withdrawal' },
  reject: { done: 'Withdrawal Rejected', failed: 'Failed to reject withdrawal' },
  markPaid: { done: 'Withdrawal Marked as Paid', failed: 'Failed to mark withdrawal as paid' },
}

/** Decides on a withdrawal that waits for a person. `onClosed`: there is nothing left to decide, by this decision or by another one. */
export function useDecision({
  decision,
  withdrawal,
  onClosed,
}: {
  decision: Decision
  withdrawal: AdminWithdrawal
  onClosed: () => void
}) {
  const refresh = useRefreshOffice()
  // One key for one intention: pressed again after a lost answer it is the same decision, with another text it is another one.
  const intention = useRef({ text: '', key: '' })

  return useMutation({
    mutationFn: (text: string) => {
      if (!intention.current.key || intention.current.text !== text) intention.current = { text, key: crypto.randomUUID() }
      return decide(decision, withdrawal.id, text, { idempotencyKey: intention.current.key })
    },
    onSuccess: ({ message }) => {
      toast({ title: texts[decision].done, description: message })
      onClosed()
    },
    onError: (error) => {
      if (!(error instanceof ApiError && error.code === 'withdrawal_closed')) return toastFailure(error, texts[decision].failed)
      toast({
        title: error.details.status === 'manual_review' ? texts[decision].failed : 'Already decided',
        description: `${errorText(error, 'Somebody else was faster.')} The list is up to date again.`,
        destructive: true,
      })
      onClosed()
    },
    onSettled: () => refresh(listAdminWithdrawals.path, searchAdminWithdrawals.path),
  })
}

function decide(decision: Decision, id: string, text: string, options: CallOptions) {
  const params = { id }
  if (decision === 'approve') return api(approveWithdrawal, { params, body: text ? { notes: text } : {} }, options)
  if (decision === 'reject') return api(rejectWithdrawal, { params, body: { reason: text } }, options)
  return api(markWithdrawalPaid, { params, body: { transactionHash: text.toLowerCase() as `0x${string}` } }, options)
}
