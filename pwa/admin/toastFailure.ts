import { isUnauthorized } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'

/** Says that a change failed, in the server's words or those of the place. A lost session has its own toast already. */
export function toastFailure(error: Error, title: string, fallback = t('Please try again.')): void {
  if (isUnauthorized(error)) return
  toast({ title, description: errorText(error, fallback), destructive: true })
}
