import { isUnauthorized } from '#shared/contract/client.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { toast } from '#pwa/ui/toast.ts'

export const toastCodeSent = () =>
  toast({ title: 'Verification Code Sent', description: 'Please check your email for the 6-digit code' })

export function toastSendFailed(error: Error): void {
  if (isUnauthorized(error)) return
  toast({ title: 'Failed to Send Code', description: errorText(error, 'Please try again.'), destructive: true })
}
