import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { useIsBusy } from '#pwa/lib/busy.ts'
import { systemSettingsQuery } from '#pwa/lib/queries.ts'
import { clearShown, storeShown, wasShownRecently } from './noticeShown.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const ServerNotice = lazyPart(async () => (await import('./ServerNotice.tsx')).ServerNotice)

/** Milliseconds before the notice opens. */
const OPEN_DELAY = 100

/** Shows the notice on the dashboard while the administrator has it enabled, once in 24 hours and never over another dialog. */
export function ServerNoticeHost() {
  const { data: settings } = useQuery(systemSettingsQuery)
  const { pathname } = useLocation()
  const isBusy = useIsBusy()
  const [isOpen, setOpen] = useState(false)
  const isOn = settings && settings.find(({ key }) => key === 'server_notice_enabled')?.value === 'true'
  const isDue = isOn === true && pathname === '/' && !isBusy && !isOpen

  if (isOn === false && isOpen) setOpen(false)
  useEffect(() => {
    if (isOn === false) clearShown()
  }, [isOn])

  useEffect(() => {
    if (!isDue || wasShownRecently(new Date())) return
    const timer = setTimeout(() => setOpen(true), OPEN_DELAY)
    return () => clearTimeout(timer)
  }, [isDue])

  if (!isOpen || pathname !== '/') return null
  return (
    <Suspense fallback={null}>
      <ServerNotice
        onClose={() => {
          storeShown(new Date())
          setOpen(false)
        }}
      />
    </Suspense>
  )
}
