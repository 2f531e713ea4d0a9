import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'

export const toastCodeSent = () =>
  toast({ title: t('Verification Code Sent'), description: t('Please check your email for the 6-digit code') })

export function toastSendFailed(error: Error): void {
  if (isUnauthorized(error)) return
  toast({
    title: failureTitle(error, t('Failed to Send Code')),
    description: errorText(error, t('Please try again.'), mayRepeat),
    destructive: true,
  })
}

/** Also shown below the field, where it stays. */
export const toastInvalidCode = (message: string) =>
  toast({ title: t('Invalid Code'), description: translateServerText(message), destructive: true })

/** What the server says of an emailed code that it refuses. It stays below the field after its toast. */
export const refusedCode = (error: Error): string | undefined =>
  error instanceof ApiError && error.code === 'code_invalid' ? error.serverMessage : undefined
