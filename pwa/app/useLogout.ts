import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { logout } from '#shared/contract/identity.ts'
import { api } from '#pwa/lib/api.ts'
import {
  authUserQuery,
  distributionsQuery,
  notificationsQuery,
  otpStatusQuery,
  purchasesQuery,
  reservationQuery,
  sessionsQuery,
  userNodesQuery,
  withdrawalsQuery,
} from '#pwa/lib/queries.ts'

/** What belongs to the person and must not be there for the next one. */
const personalQueries = [
  purchasesQuery,
  distributionsQuery,
  withdrawalsQuery,
  userNodesQuery,
  reservationQuery,
  otpStatusQuery,
  notificationsQuery,
  sessionsQuery,
]
const adminUserKey = ['/api/admin/auth/user']

/** Ends the session and forgets what was known of the person, also when the server cannot be told. */
export function useLogout() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => {
      try {
        await api(logout, {})
      } catch (error) {
        console.info('Logging out failed on the server', error)
      }
    },
    onSettled: async () => {
      await navigate('/')
      queryClient.setQueryData(authUserQuery.queryKey, null)
      for (const { queryKey } of personalQueries) queryClient.removeQueries({ queryKey })
      queryClient.removeQueries({ queryKey: adminUserKey })
    },
  })
}
