import { useEffect } from 'react'
import { useGo } from '#pwa/lib/useGo.ts'

/** Redirects to another path of this site and replaces the history entry. */
export function Redirect({ to }: { to: string }) {
  const go = useGo()
  useEffect(() => void go(to, { replace: true }), [go, to])
  return null
}
