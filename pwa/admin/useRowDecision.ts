import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { ApiError, type CallOptions, isUnauthorized } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'
import { toastFailure } from './toastFailure.ts'
import { useRefreshOffice } from './useRefreshOffice.ts'

/** The row is no longer what the page showed: somebody else has decided on it. */
const overtaken: readonly (string | undefined)[] = ['purchase_closed', 'deposit_closed', 'withdrawal_closed']

/** A row that still waits for a person was not decided on: it only cannot go that way. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof ApiError && overtaken.includes(error.code) && error.details.status !== 'manual_review'

interface Decision<Input, Answer> {
  decide: (input: Input, options: CallOptions) => Promise<Answer>
  /** Titles of the toasts. */
  done: string
  failed: string
  /** Read again besides the common figures. */
  refreshes?: readonly string[]
  /** Nothing is left to decide: it is done, or somebody else was faster. */
  onSettled: () => void
  onRefused?: (error: Error) => void
}

/**
 * What an administrator decides about one row. Pressed again with the same words it has one effect, also where no answer came.
 * Of two administrators the second is told so, and sees the lists as they are now.
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
      if (isUnauthorized(error)) return
      if (!isOvertaken(error)) {
        toastFailure(error, decision.failed)
        decision.onRefused?.(error)
        return
      }
      const found = errorText(error, t('Its state has changed.'))
      toast({
        title: t('Already decided'),
        description: t('Another administrator already decided. {reason} The lists are up to date again.', { reason: found }),
        destructive: true,
      })
      decision.onSettled()
      await refresh(...(decision.refreshes ?? []))
    },
  })
}
