import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'

export function toastInvalidCode(): void {
  toast({ title: t('Invalid Code'), description: t('Please enter a valid 6-digit verification code.'), destructive: true })
}
