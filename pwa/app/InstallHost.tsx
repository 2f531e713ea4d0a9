import { Suspense } from 'react'
import { useLocation } from 'react-router-dom'
import { useInstallation } from './installation.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const InstallCard = lazyPart(async () => (await import('./InstallCard.tsx')).InstallCard)

/** Offers to install the app, on the dashboard and where the browser can install it. */
export function InstallHost() {
  const { pathname } = useLocation()
  const mayInstall = useInstallation(({ way, isDismissed }) => way !== null && !isDismissed)
  if (!mayInstall || pathname !== '/') return null
  return (
    <Suspense fallback={null}>
      <InstallCard />
    </Suspense>
  )
}
