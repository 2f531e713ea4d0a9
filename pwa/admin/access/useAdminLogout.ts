import { useMutation, useQueryClient } from '@tanstack/react-query'
import { adminLogout } from '#shared/contract/admin/login.ts'
import { api } from '#pwa/lib/api.ts'
import { queueLogout } from '#pwa/lib/queuedLogout.ts'
import { forgetShownSecret } from '#pwa/lib/shownSecret.ts'
import { t } from '#pwa/i18n/t.ts'
import { withoutRedirect } from '#pwa/lib/unauthorized.ts'
import { useGo } from '#pwa/lib/useGo.ts'
import { toast } from '#pwa/ui/toast.ts'
import { adminStatusQuery } from '../queries.ts'
import { forgetDrafts } from '../useDraft.ts'

/** Ends the administrator's session, clears all back-office data, and goes to the login even if the call fails. The logout is then queued. */
export function useAdminLogout() {
  const queryClient = useQueryClient()
  const go = useGo()
  return useMutation({
    mutationFn: () =>
      withoutRedirect(async () => {
        await api(adminLogout, {}).catch((error: unknown) => {
          console.info('The administrator could not be logged out on the server', error)
          queueLogout('admin')
          toast({
            title: t('Logout Not Confirmed'),
            description: t(
              'The server did not answer, so your session may still be open. It ends before this browser opens the back office again.',
            ),
            destructive: true,
          })
        })
        // Queries are removed first, so that the panel, still mounted for a moment, shows no "login required" toast.
        queryClient.removeQueries({
          predicate: ({ queryKey }) => queryKey.some((part) => String(part).startsWith('/api/admin/')),
        })
        queryClient.setQueryData(adminStatusQuery.queryKey, { isLoggedIn: false, loginTime: null, username: null, role: null })
        forgetDrafts()
        forgetShownSecret()
        await go('/admin1')
      }),
  })
}
