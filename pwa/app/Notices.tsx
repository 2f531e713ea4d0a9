import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { noteLive, useCopyDate } from '#pwa/lib/copyDates.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { copiedPaths } from '#pwa/lib/offlineCopies.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { useUpdate } from './serviceWorkerUpdates.ts'

/** A newer version waits: says so, and leaves the moment to the person. */
export function UpdateNotice() {
  const { apply, dismiss } = useUpdate()
  if (!apply) return null
  return (
    <aside
      aria-label="Update"
      className="fixed inset-x-4 bottom-[max(16px,env(safe-area-inset-bottom))] z-20 flex animate-rise items-center gap-3 rounded-card border border-ink-5 bg-surface py-2 pr-2 pl-4 shadow-float desk:right-auto desk:max-w-[420px]"
    >
      <p className="flex-1 text-14 text-ink-11">A new version is ready.</p>
      <Button variant="quiet" onClick={dismiss}>
        Later
      </Button>
      <Button variant="secondary" onClick={apply}>
        Reload
      </Button>
    </aside>
  )
}

/** The figures are a copy from before the connection was lost. */
export function OfflineNotice() {
  const takenAt = useCopyDate((state) => state.takenAt)
  const queryClient = useQueryClient()
  useEffect(() => {
    function goLive() {
      noteLive()
      for (const path of copiedPaths) void queryClient.invalidateQueries({ queryKey: [path] })
    }
    window.addEventListener('online', goLive)
    return () => window.removeEventListener('online', goLive)
  }, [queryClient])
  if (!takenAt) return null
  return (
    <p role="status" className="border-b border-amber-line bg-amber-soft">
      <span className="page block py-2 text-14 text-ink-11">
        <strong className="font-strong text-amber">No connection.</strong> Figures of {formatDateTime(takenAt)}. Payments already
        sent are safe.
      </span>
    </p>
  )
}
