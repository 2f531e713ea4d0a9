import { ApiError, isUnauthorized, Proposed } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText, failureTitle } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'
import { ProofDismissed } from './proof/decide.ts'

/** Says that a call waits for another administrator. */
export function toastProposed({ message }: Proposed): void {
  toast({ title: t('Nothing has changed yet'), description: translateServerText(message) })
}

/**
 * Shows why a change failed: the server's message or the given fallback. A lost session already has its own toast, and neither a proposal
 * nor a prompt that was closed is a failure.
 */
export function toastFailure(error: Error, title: string, fallback = t('Please try again.')): void {
  if (isUnauthorized(error) || error instanceof ProofDismissed) return
  if (error instanceof Proposed) return toastProposed(error)
  toast({ title: refusedTitle(error, title), description: errorText(error, fallback), destructive: true })
}

/** The title of a failed change. After one of another administrator, the remedy is to look at the present value and save again. */
export const refusedTitle = (error: Error, title: string): string =>
  isChangedMeanwhile(error) ? t('Changed by another administrator') : failureTitle(error, title)

/** Whether another administrator has changed what a save replaces. What was typed stays, and the present value is shown. */
export const isChangedMeanwhile = (error: Error): error is ApiError => error instanceof ApiError && error.code === 'value_changed'

/** Whether a dialog has nothing left to do: the call is done or proposed. Otherwise it stays open with what was typed. */
export const isDecided = (error: Error | null): boolean => error === null || error instanceof Proposed
