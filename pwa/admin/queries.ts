import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { isUnauthorized } from '#shared/contract/client.ts'
import {
  type AdminUser,
  adminLoginStatus,
  adminOtpStatus,
  getAdminCredentials,
  getAdminUser,
  getIpAccess,
} from '#shared/contract/admin/access.ts'
import { MINUTE } from '#shared/dates.ts'
import { api } from '#pwa/lib/api.ts'
import { apiQuery } from '#pwa/lib/apiQuery.ts'

/** Whether an administrator is logged in in this browser. Kept for 5 minutes. */
export const adminStatusQuery = queryOptions({ ...apiQuery(adminLoginStatus), staleTime: 5 * MINUTE })

/** The administrator logged in, or null. A 401 is an answer here, not an error. */
export const adminUserQuery = queryOptions<AdminUser | null, Error, AdminUser | null, readonly [string]>({
  queryKey: [getAdminUser.path],
  queryFn: async ({ signal }) => {
    try {
      return await api(getAdminUser, {}, { signal })
    } catch (error) {
      if (isUnauthorized(error)) return null
      throw error
    }
  },
  staleTime: 5 * MINUTE,
})

export const adminOtpStatusQuery = apiQuery(adminOtpStatus)
export const ipAccessQuery = apiQuery(getIpAccess)
export const adminCredentialsQuery = apiQuery(getAdminCredentials)

/** After a login or a new name: who is logged in is asked again. */
export function useReadAdminAgain(): () => Promise<unknown> {
  const queryClient = useQueryClient()
  return () =>
    Promise.all(
      [adminStatusQuery, adminUserQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
    )
}
