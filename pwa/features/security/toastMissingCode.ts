import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'

/** For a form that was sent without a complete code. */
export function toastMissingCode(): void {
  toast({ title: t('Invalid Input'), description: t('Please enter the 6-digit verification code.'), destructive: true })
}
