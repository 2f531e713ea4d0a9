import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError, type CallOptions, isUnauthorized, Proposed } from '#shared/contract/client.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'
import { ProofDismissed } from './proof/decide.ts'
import { toastFailure, toastProposed } from './toastFailure.ts'
import { useRefreshOffice } from './useRefreshOffice.ts'

/** Error codes for a row that another administrator has already decided. */
const alreadyDecidedCodes: readonly (string | undefined)[] = [
  'purchase_closed',
  'deposit_closed',
  'withdrawal_closed',
  'incident_resolved',
  'proposal_closed',
  'account_not_frozen',
]

/** A row that is still in review was not decided; it only cannot take this decision. */
const isAlreadyDecided = (error: unknown): boolean =>
  error instanceof ApiError && alreadyDecidedCodes.includes(error.code) && error.details.status !== 'manual_review'

interface Decision<Input, Answer> {
  decide: (input: Input, options: CallOptions) => Promise<Answer>
  /** Titles of the toasts. */
  done: string
  failed: string
  /** Paths to refetch besides the common data. */
  refreshes?: readonly string[]
  /** Called when nothing is left to decide: it succeeded, or another administrator decided first. */
  onSettled: () => void
  onRefused?: (error: Error) => void
}

/**
 * An administrator's decision on one row. The same input keeps its idempotency key, so a retry has one effect even if the first
 * answer was lost. If another administrator decided first, it says so and refetches the lists.
 */
export function useRowDecision<Input, Answer extends { message: string }>(decision: Decision<Input, Answer>) {
  const refresh = useRefreshOffice()
  const intention = useRef({ input: '', key: '' })

  return useMutation({
    mutationFn: (input: Input) => {
      const words = JSON.stringify(input)
      if (intention.current.input !== words) intention.current = { input: words, key: crypto.randomUUID() }
      return decision.decide(input, { idempotencyKey: intention.current.key })
    },
    onSuccess: async ({ message }) => {
      intention.current = { input: '', key: '' }
      toast({ title: decision.done, description: translateServerText(message) })
      decision.onSettled()
      await refresh(...(decision.refreshes ?? []))
    },
    onError: async (error) => {
      if (isUnauthorized(error) || error instanceof ProofDismissed) return
      if (error instanceof Proposed) {
        intention.current = { input: '', key: '' }
        toastProposed(error)
        decision.onSettled()
        await refresh(listProposals.path)
        return
      }
      if (!isAlreadyDecided(error)) {
        toastFailure(error, decision.failed)
        decision.onRefused?.(error)
        return
      }
      const found = errorText(error, t('Its state has changed.'))
      toast({
        title: t('Already decided'),
        description: t('Another administrator already decided. {reason} The lists have been updated.', { reason: found }),
        destructive: true,
      })
      decision.onSettled()
      await refresh(...(decision.refreshes ?? []))
    },
  })
}
