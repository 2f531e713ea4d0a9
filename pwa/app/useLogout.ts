import { useMutation, useQueryClient } from '@tanstack/react-query'
import { logout } from '#shared/contract/identity.ts'
import { forgetPush } from '#pwa/features/push/subscription.ts'
import { api } from '#pwa/lib/api.ts'
import { queueLogout } from '#pwa/lib/queuedLogout.ts'
import { deleteSnapshot } from '#pwa/lib/offlineSnapshot.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { clearUserData } from './clearUserData.ts'
import { loadPage } from './pages.tsx'

const adminUserKey = ['/api/admin/auth/user']

/** Ends the session and clears all personal data. If the server cannot be reached, the logout is queued. */
export function useLogout() {
  const queryClient = useQueryClient()
  const go = useGo()
  return useMutation({
    mutationFn: async () => {
      // Before the session ends, so that the next user of this browser does not get its messages.
      void forgetPush().catch((error: unknown) => console.info('The push subscription stays in the browser', error))
      try {
        await api(logout, {})
      } catch (error) {
        console.info('Logging out failed on the server', error)
        queueLogout()
      }
    },
    onSettled: async () => {
      deleteSnapshot()
      await loadPage('/').catch(() => undefined)
      await go('/')
      clearUserData(queryClient)
      queryClient.removeQueries({ queryKey: adminUserKey })
    },
  })
}
