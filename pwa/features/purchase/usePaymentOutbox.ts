import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sendReports, stopSending } from './paymentOutbox.ts'

/** Sends stored payment reports at load, on login and when the connection is back. */
export function usePaymentOutbox(userId: string | undefined): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (!userId) return
    const send = () => void sendReports({ queryClient, userId })
    send()
    window.addEventListener('online', send)
    return () => {
      window.removeEventListener('online', send)
      stopSending()
    }
  }, [queryClient, userId])
}
