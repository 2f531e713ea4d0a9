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
import { listSystemSettings } from '#shared/contract/settings.ts'
import { MINUTE } from '#shared/dates.ts'
import { AUDIT_ROWS_PER_PAGE, listAudit } from '#shared/contract/admin/audit.ts'
import { getHealth, listRewardRates } from '#shared/contract/admin/office.ts'
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
/** Another administrator may have changed it, and nobody tells: read at every look. */
export const ipAccessQuery = queryOptions({ ...apiQuery(getIpAccess), staleTime: 0 })
export const adminCredentialsQuery = apiQuery(getAdminCredentials)

/** Whoever plans a rate changes a setting: the event stream tells of those, and these are read again with them. */
export const rewardRatesQuery = queryOptions({
  queryKey: [listSystemSettings.path, listRewardRates.path],
  queryFn: ({ signal }) => api(listRewardRates, {}, { signal }),
})

/** How the installation is changes without this browser: read at every look. */
export const healthQuery = queryOptions({ ...apiQuery(getHealth), staleTime: 0 })

/** A page of the audit log. It grows without this browser as well. */
export const auditQuery = ({ action, actor, page }: { action: string; actor: string; page: number }) =>
  queryOptions({
    queryKey: [listAudit.path, action, actor, page],
    queryFn: ({ signal }) =>
      api(
        listAudit,
        {
          query: {
            limit: AUDIT_ROWS_PER_PAGE,
            offset: (page - 1) * AUDIT_ROWS_PER_PAGE,
            ...(action && { action }),
            ...(actor && { actor }),
          },
        },
        { signal },
      ),
    staleTime: 0,
  })

/** After a login or a new name: who is logged in is asked again. */
export function useReadAdminAgain(): () => Promise<unknown> {
  const queryClient = useQueryClient()
  return () =>
    Promise.all(
      [adminStatusQuery, adminUserQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
    )
}
