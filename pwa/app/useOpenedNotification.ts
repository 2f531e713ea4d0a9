import { useEffect } from 'react'
import { isBusy } from '#pwa/lib/busy.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import type { OpenPage } from './showPushes.ts'

/** Opens the page of a clicked notification, unless a payment, a code or a signature is in progress. */
export function useOpenedNotification(): void {
  const go = useGo()
  useEffect(() => {
    const worker = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined
    const handleMessage = ({ data }: MessageEvent<Partial<OpenPage> | undefined>) => {
      if (data?.type === 'OPEN' && data.path && !isBusy()) void go(data.path)
    }
    worker?.addEventListener('message', handleMessage)
    return () => worker?.removeEventListener('message', handleMessage)
  }, [go])
}
