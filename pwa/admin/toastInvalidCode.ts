import { toast } from '#pwa/ui/toast.ts'

export function toastInvalidCode(): void {
  toast({ title: 'Invalid Code', description: 'Please enter a valid 6-digit verification code.', destructive: true })
}
