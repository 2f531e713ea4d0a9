import { isUnauthorized, Proposed } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'

/** Says that a call waits for another administrator. */
export function toastProposed({ message }: Proposed): void {
  toast({ title: t('Waits for approval'), description: translateServerText(message) })
}

/**
 * Shows why a change failed: the server's message or the given fallback. A lost session already has its own toast, and a proposal is no
 * failure.
 */
export function toastFailure(error: Error, title: string, fallback = t('Please try again.')): void {
  if (isUnauthorized(error)) return
  if (error instanceof Proposed) return toastProposed(error)
  toast({ title, description: errorText(error, fallback), destructive: true })
}
