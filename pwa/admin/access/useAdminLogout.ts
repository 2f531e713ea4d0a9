import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { adminLogout } from '#shared/contract/admin/access.ts'
import { api } from '#pwa/lib/api.ts'
import { adminStatusQuery } from '../queries.ts'

const mutationKey = ['admin-logout']

/** Ends the administrator's session, forgets everything of the back office, and ends at its login even if the call fails. */
export function useAdminLogout() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationKey,
    mutationFn: () => api(adminLogout, {}),
    onError: (error) => console.info('The administrator could not be logged out on the server', error),
    onSettled: async () => {
      queryClient.removeQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith('/api/admin/') })
      queryClient.setQueryData(adminStatusQuery.queryKey, { isLoggedIn: false, loginTime: null, username: null })
      await navigate('/admin1')
    },
  })
}

/** A logout is under way: what the panel shows meanwhile is nobody's concern. */
export const useIsLoggingOut = (): boolean => useIsMutating({ mutationKey }) > 0
