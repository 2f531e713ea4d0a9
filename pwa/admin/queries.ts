import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { isUnauthorized } from '#shared/contract/client.ts'
import {
  type AdminUser,
  adminLoginStatus,
  adminOtpStatus,
  getAdminCredentials,
  getAdminUser,
  getIpAccess,
} from '#shared/contract/admin/login.ts'
import { listAdministrators } from '#shared/contract/admin/administrators.ts'
import { listAdminPasskeys } from '#shared/contract/admin/passkeys.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { listAnnouncements } from '#shared/contract/admin/announcements.ts'
import { listIncidents } from '#shared/contract/admin/incidents.ts'
import { AUDIT_ROWS_PER_PAGE, listAudit } from '#shared/contract/admin/audit.ts'
import { getHealth, getPayoutCaps, listRewardRates } from '#shared/contract/admin/office.ts'
import { api } from '#pwa/lib/api.ts'
import { forgettingSecret } from '#pwa/lib/shownSecret.ts'
import { apiQuery } from '#pwa/lib/apiQuery.ts'
import type { AuditParams } from './audit/useAuditParams.ts'
import { beginOfDay, dayAfter } from './zone/officeZone.ts'

/** Whether an administrator is logged in. Cached for 5 minutes. */
export const adminStatusQuery = queryOptions({ ...apiQuery(adminLoginStatus), staleTime: 5 * MINUTE })

/** The logged-in administrator, or null. A 401 is a valid answer here, not an error. */
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

export const adminOtpStatusQuery = forgettingSecret(apiQuery(adminOtpStatus))
/** A login in another browser changes when one was last used: refetched on every mount. */
export const adminPasskeysQuery = queryOptions({ ...apiQuery(listAdminPasskeys), staleTime: 0 })
/** The newest proposals, open ones first, for the rows that they are about. Changes come with events. */
export const openProposalsQuery = queryOptions({
  queryKey: [listProposals.path, 'open'],
  queryFn: ({ signal }) => api(listProposals, { query: { limit: 100, offset: 0 } }, { signal }),
})

/** Changes come with events, but when one was last seen does not: refetched on every mount. */
export const administratorsQuery = queryOptions({ ...apiQuery(listAdministrators), staleTime: 0 })
/** Changes come with events, but the caller's own address may have changed: refetched on every mount. */
export const ipAccessQuery = queryOptions({ ...apiQuery(getIpAccess), staleTime: 0 })
export const adminCredentialsQuery = apiQuery(getAdminCredentials)

/** Scheduling a rate changes a setting, which the event stream announces. These queries are refetched with the settings. */
export const rewardRatesQuery = queryOptions({
  queryKey: [listSystemSettings.path, listRewardRates.path],
  queryFn: ({ signal }) => api(listRewardRates, {}, { signal }),
})

/** The caps change with events, but what was signed does not: refetched on every mount. */
export const payoutCapsQuery = queryOptions({ ...apiQuery(getPayoutCaps), staleTime: 0 })

/** Progress has no event: refetched on every mount, and while a message is being sent. */
export const announcementsQuery = queryOptions({
  ...apiQuery(listAnnouncements),
  staleTime: 0,
  refetchInterval: ({ state }) => state.data?.announcements.some(({ isFinished }) => !isFinished) && 3 * SECOND,
})

/** Changes come with events. */
export const incidentsQuery = apiQuery(listIncidents)

/** The health changes without an event: refetched on every mount. */
export const healthQuery = queryOptions({ ...apiQuery(getHealth), staleTime: 0 })

/** The filter of the audit log as a call takes it. */
export const auditFilterOf = ({ action, actor, person, from, to }: Omit<AuditParams, 'page'>, zone: string) => ({
  ...(action && { action }),
  ...(actor && { actor }),
  ...(person && { person }),
  ...(from && { from: beginOfDay(from, zone) }),
  ...(to && { until: beginOfDay(dayAfter(to), zone) }),
})

/** One page of the audit log, which grows without events. */
export const auditQuery = ({ page, ...filter }: AuditParams, zone: string) =>
  queryOptions({
    queryKey: [listAudit.path, filter, zone, page],
    queryFn: ({ signal }) =>
      api(
        listAudit,
        {
          query: {
            limit: AUDIT_ROWS_PER_PAGE,
            offset: (page - 1) * AUDIT_ROWS_PER_PAGE,
            ...auditFilterOf(filter, zone),
          },
        },
        { signal },
      ),
    staleTime: 0,
  })

export const countAudit = async ({ page: _page, ...filter }: AuditParams, zone: string, signal: AbortSignal): Promise<number> =>
  (await api(listAudit, { query: { limit: 1, offset: 0, ...auditFilterOf(filter, zone) } }, { signal })).totalCount

/** Refetches the administrator after a login or a change of name. */
export function useRefetchAdmin(): () => Promise<unknown> {
  const queryClient = useQueryClient()
  return () =>
    Promise.all(
      [adminStatusQuery, adminUserQuery].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey: [...queryKey] })),
    )
}
