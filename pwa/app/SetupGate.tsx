import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { SECOND } from '#shared/dates.ts'
import { setupStatusQuery } from '#pwa/lib/queries.ts'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { useIsLong } from '#pwa/ui/useIsLong.ts'
import { PageSpinner } from './PageSpinner.tsx'

/** The status has no stored copy, so a network that hangs would otherwise keep every page from being shown. */
const STATUS_TIMEOUT = 4 * SECOND

/** Redirects a fresh installation to its setup. If the status request fails or takes too long, the page is shown. */
export function SetupGate({ children }: { children: ReactNode }) {
  const isSetup = useLocation().pathname === '/setup'
  const { data, error, isPending, errorUpdateCount } = useQuery({ ...setupStatusQuery, enabled: !isSetup })
  const isLong = useIsLong(isPending && !isSetup, STATUS_TIMEOUT)
  useEffect(() => {
    if (error) console.error('Could not ask whether this installation is set up', error)
  }, [error])

  if (isSetup) return children
  // Once it is shown, the page stays while the status is asked for again.
  if (isPending && !isLong && errorUpdateCount === 0) return <PageSpinner />
  if (data?.setupRequired) return <Redirect to="/setup" />
  return children
}
