import { useMutation, useQueryClient } from '@tanstack/react-query'
import { logout } from '#shared/contract/identity.ts'
import { api } from '#pwa/lib/api.ts'
import { oweLogout } from '#pwa/lib/owedLogout.ts'
import { forgetOwnFigures } from '#pwa/lib/ownFigures.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { forgetPerson } from './forgetPerson.ts'
import { loadPage } from './pages.tsx'

const adminUserKey = ['/api/admin/auth/user']

/** Ends the session and clears all personal data. If the server cannot be reached, the logout is queued. */
export function useLogout() {
  const queryClient = useQueryClient()
  const go = useGo()
  return useMutation({
    mutationFn: async () => {
      try {
        await api(logout, {})
      } catch (error) {
        console.info('Logging out failed on the server', error)
        oweLogout()
      }
    },
    onSettled: async () => {
      forgetOwnFigures()
      await loadPage('/').catch(() => undefined)
      await go('/')
      forgetPerson(queryClient)
      queryClient.removeQueries({ queryKey: adminUserKey })
    },
  })
}
