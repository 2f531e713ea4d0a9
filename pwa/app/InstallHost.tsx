import { lazy, Suspense } from 'react'
import { useLocation } from 'react-router-dom'
import { useInstallation } from './installation.ts'

const InstallCard = lazy(async () => ({ default: (await import('./InstallCard.tsx')).InstallCard }))

/** Offers to put the app onto the home screen, on the dashboard, where that can be done. */
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
