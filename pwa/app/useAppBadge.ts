import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { unreadQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'

/** Shows the number of unread messages on the installed app's icon. */
export function useAppBadge(): void {
  const user = useAuthUser()
  const { data } = useQuery({ ...unreadQuery, enabled: Boolean(user) })
  const unread = user ? data?.unread : user === null ? 0 : undefined
  useEffect(() => {
    if (unread === undefined || !('setAppBadge' in navigator)) return
    // Refused in a tab of some browsers.
    navigator.setAppBadge(unread).catch(() => undefined)
  }, [unread])
}
