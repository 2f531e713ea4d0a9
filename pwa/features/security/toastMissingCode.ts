import { toast } from '#pwa/ui/toast.ts'

export function toastMissingCode(): void {
  toast({ title: 'Invalid Input', description: 'Please enter the 6-digit verification code.', destructive: true })
}
