import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'

export function toastMissingCode(): void {
  toast({ title: t('Invalid Input'), description: t('Please enter the 6-digit verification code.'), destructive: true })
}
