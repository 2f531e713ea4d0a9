import { useMutation, useQueryClient } from '@tanstack/react-query'
import { logout } from '#shared/contract/identity.ts'
import { SECOND } from '#shared/dates.ts'
import { forgetPush } from '#pwa/features/push/subscription.ts'
import { api } from '#pwa/lib/api.ts'
import { queueLogout } from '#pwa/lib/queuedLogout.ts'
import { deleteSnapshot } from '#pwa/lib/offlineSnapshot.ts'
import { withoutRedirect } from '#pwa/lib/unauthorized.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { cancelUserData, clearUserData } from './clearUserData.ts'
import { loadPage } from './pages.tsx'

/** A logout that the server has not answered by then is queued, and the page is cleared. */
const LOGOUT_TIMEOUT = 8 * SECOND
const PAGE_TIMEOUT = 3 * SECOND

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const adminUserKey = ['/api/admin/auth/user']

/** Ends the session and clears all personal data. If the server cannot be reached, the logout is queued. */
export function useLogout() {
  const queryClient = useQueryClient()
  const go = useGo()
  return useMutation({
    mutationFn: () =>
      withoutRedirect(async () => {
        // Before the session ends, so that the next user of this browser does not get its messages.
        void forgetPush().catch((error: unknown) => console.info('The push subscription stays in the browser', error))
        await cancelUserData(queryClient)
        try {
          await api(logout, {}, { signal: AbortSignal.timeout(LOGOUT_TIMEOUT) })
        } catch (error) {
          console.info('Logging out failed on the server', error)
          queueLogout()
        }
        deleteSnapshot()
        await Promise.race([loadPage('/').catch(() => undefined), delay(PAGE_TIMEOUT)])
        await go('/')
        clearUserData(queryClient)
        queryClient.removeQueries({ queryKey: adminUserKey })
      }),
  })
}
