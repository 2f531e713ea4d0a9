import { queryOptions } from '@tanstack/react-query'
import { isUnauthorized } from '#shared/contract/client.ts'
import { type AuthUser, getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getNotifications } from '#shared/contract/notifications.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { getReservation, listPurchases } from '#shared/contract/purchases.ts'
import { listDistributions } from '#shared/contract/rewards.ts'
import { listSessions } from '#shared/contract/sessions.ts'
import { getConfig, getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { MINUTE } from '#shared/dates.ts'
import { api } from './api.ts'
import { apiQuery } from './apiQuery.ts'

/** The person logged in, or null. A 401 is an answer here, not an error. */
export const authUserQuery = queryOptions<AuthUser | null, Error, AuthUser | null, readonly [string]>({
  queryKey: [getAuthUser.path],
  queryFn: async ({ signal }) => {
    try {
      return await api(getAuthUser, {}, { signal })
    } catch (error) {
      if (isUnauthorized(error)) return null
      throw error
    }
  },
  staleTime: 5 * MINUTE,
  refetchOnMount: false,
})

export const userNodesQuery = queryOptions({ ...apiQuery(getUserNodes), staleTime: 5 * MINUTE })
export const purchasesQuery = apiQuery(listPurchases)
export const distributionsQuery = apiQuery(listDistributions)
export const withdrawalsQuery = apiQuery(listWithdrawals)
export const reservationQuery = apiQuery(getReservation)
export const otpStatusQuery = apiQuery(otpStatus)
/** Where a person is logged in changes without this browser: read at every look. */
export const sessionsQuery = queryOptions({ ...apiQuery(listSessions), staleTime: 0 })
export const notificationsQuery = apiQuery(getNotifications)
export const nodeStatsQuery = apiQuery(getNodeStats)
export const nodeSettingsQuery = apiQuery(getNodeSettings)
export const systemSettingsQuery = apiQuery(listSystemSettings)
export const configQuery = apiQuery(getConfig)

/** What a person can lose sight of while the event stream was down: read again at each of its openings. */
export const moneyQueries = [
  authUserQuery,
  purchasesQuery,
  distributionsQuery,
  withdrawalsQuery,
  userNodesQuery,
  nodeStatsQuery,
  reservationQuery,
]
