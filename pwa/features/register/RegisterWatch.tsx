import { useEffect, useRef } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { SECOND } from '#shared/dates.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { useProductTime } from '#pwa/lib/serverClock.ts'
import { recallNews } from '#pwa/register/deviceMemory.ts'
import { lastDueDay } from '#shared/rewardTime.ts'

/** After the page has what it shows, and the connection is idle. */
const DELAY = 10 * SECOND

/** Verifies the account's nodes by itself, at most once a day. */
export function RegisterWatch({ user: { id, email } }: { user: AuthUser }) {
  const isOffline = useIsOffline()
  const productNow = useProductTime()
  const due = lastDueDay(productNow)
  /** Its chunk could not be loaded. Browsers keep that, and a second failure would reload the page (reloadOnce.ts). */
  const isLost = useRef(false)
  useEffect(() => recallNews(id), [id])
  useEffect(() => {
    if (isOffline || isLost.current) return
    const timer = setTimeout(async () => {
      try {
        isLost.current = true
        const { checkByItself } = await import('#pwa/register/checkByItself.ts')
        isLost.current = false
        await checkByItself({ id, email }, due)
      } catch (error) {
        console.info('The register was not checked', error)
      }
    }, DELAY)
    return () => clearTimeout(timer)
  }, [id, email, due, isOffline])
  return null
}
