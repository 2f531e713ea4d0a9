import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { setupStatusQuery } from '#pwa/lib/queries.ts'
import { Redirect } from '#pwa/ui/Redirect.tsx'
import { PageSpinner } from './PageSpinner.tsx'

/** Redirects a fresh installation to its setup. If the status request fails, the page is shown. */
export function SetupGate({ children }: { children: ReactNode }) {
  const isSetup = useLocation().pathname === '/setup'
  const { data, error, isPending } = useQuery({ ...setupStatusQuery, enabled: !isSetup })
  useEffect(() => {
    if (error) console.error('Could not ask whether this installation is set up', error)
  }, [error])

  if (isSetup) return children
  if (isPending) return <PageSpinner />
  if (data?.setupRequired) return <Redirect to="/setup" />
  return children
}
