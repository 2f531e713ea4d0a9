import { isUnauthorized } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'

/** Shows why a change failed: the server's message or the given fallback. A lost session already has its own toast. */
export function toastFailure(error: Error, title: string, fallback = t('Please try again.')): void {
  if (isUnauthorized(error)) return
  toast({ title, description: errorText(error, fallback), destructive: true })
}
