import { useEffect } from 'react'
import { useGo } from '#pwa/lib/useGo.ts'

/** Sends whoever comes here to another path of this site; the way back does not lead here again. */
export function Redirect({ to }: { to: string }) {
  const go = useGo()
  useEffect(() => void go(to, { replace: true }), [go, to])
  return null
}
