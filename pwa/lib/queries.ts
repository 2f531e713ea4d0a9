import { type QueryFunction, queryOptions } from '@tanstack/react-query'
import type { AuthUser } from '#shared/contract/identity.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { isUnauthorized } from '#shared/isUnauthorized.ts'
import { lazyQuery } from './lazyQuery.ts'
import { forgettingSecret } from './shownSecret.ts'

// Loaded with the first call: see lazyQuery.
const identity = () => import('#shared/contract/identity.ts')
const inbox = () => import('#shared/contract/inbox.ts')
const nodes = () => import('#shared/contract/nodes.ts')
const notifications = () => import('#shared/contract/notifications.ts')
const otp = () => import('#shared/contract/otp.ts')
const passkeys = () => import('#shared/contract/passkeys.ts')
const purchases = () => import('#shared/contract/purchases.ts')
const rewards = () => import('#shared/contract/rewards.ts')
const sessions = () => import('#shared/contract/sessions.ts')
const settings = () => import('#shared/contract/settings.ts')
const status = () => import('#shared/contract/status.ts')
const setup = () => import('#shared/contract/setup.ts')
const withdrawals = () => import('#shared/contract/withdrawals.ts')

const authUserPath = '/api/auth/user'
const baseUserQuery = lazyQuery(authUserPath, async () => (await identity()).getAuthUser)

/** The logged-in user, or null. A 401 is a valid answer here, not an error. */
export const authUserQuery = queryOptions<AuthUser | null, Error, AuthUser | null, readonly [string]>({
  queryKey: [authUserPath],
  queryFn: async (context) => {
    try {
      return await (baseUserQuery.queryFn as QueryFunction<AuthUser, readonly [string]>)(context)
    } catch (error) {
      if (isUnauthorized(error)) return null
      throw error
    }
  },
  staleTime: 5 * MINUTE,
  refetchOnMount: false,
})

export const userNodesQuery = queryOptions({
  ...lazyQuery('/api/user/nodes', async () => (await nodes()).getUserNodes),
  staleTime: 5 * MINUTE,
})
export const purchasesQuery = lazyQuery('/api/node-purchases', async () => (await purchases()).listPurchases)
/** Small deposits are ignored without an event, so this is refetched on every mount. */
export const paymentsQuery = queryOptions({
  ...lazyQuery('/api/payments', async () => (await purchases()).listPayments),
  staleTime: 0,
})
export const distributionsQuery = lazyQuery('/api/xcr-distribution-logs', async () => (await rewards()).listDistributions)
export const withdrawalsQuery = lazyQuery('/api/xcr-withdrawals', async () => (await withdrawals()).listWithdrawals)
export const dailyLimitQuery = lazyQuery('/api/xcr-withdrawals/limit', async () => (await withdrawals()).getDailyLimit)
export const reservationQuery = lazyQuery('/api/node-purchase/reservation', async () => (await purchases()).getReservation)
export const otpStatusQuery = forgettingSecret(lazyQuery('/api/auth/otp/status', async () => (await otp()).otpStatus))
/** Using one changes it without an event: refetched on every mount. */
export const passkeysQuery = queryOptions({
  ...lazyQuery('/api/auth/passkeys', async () => (await passkeys()).listPasskeys),
  staleTime: 0,
})
/** Sessions change without an event: refetched on every mount. */
export const sessionsQuery = queryOptions({
  ...lazyQuery('/api/auth/sessions', async () => (await sessions()).listSessions),
  staleTime: 0,
})
export const notificationsQuery = lazyQuery('/api/user/notifications', async () => (await notifications()).getNotifications)
export const inboxQuery = lazyQuery('/api/inbox', async () => (await inbox()).listInbox)
/** Its email choice of the daily summary is also `notificationsQuery`'s: who changes one refetches the other. */
export const messageChoicesQuery = lazyQuery('/api/inbox/choices', async () => (await inbox()).getMessageChoices)
export const unreadQuery = lazyQuery('/api/inbox/unread', async () => (await inbox()).countUnread)
export const nodeStatsQuery = lazyQuery('/api/stats/nodes', async () => (await nodes()).getNodeStats)
export const nodeSettingsQuery = lazyQuery('/api/settings/nodes', async () => (await settings()).getNodeSettings)
export const systemSettingsQuery = lazyQuery('/api/system-settings', async () => (await settings()).listSystemSettings)
export const configQuery = lazyQuery('/api/config', async () => (await settings()).getConfig)

/** Its figures change without events, besides incidents: refetched on every mount, and as often as the server reads them. */
export const statusQuery = queryOptions({
  ...lazyQuery('/api/status', async () => (await status()).getStatus),
  staleTime: 0,
  refetchInterval: 10 * SECOND,
})

/** Whether the installation still needs its administrator. */
export const setupStatusQuery = lazyQuery('/api/setup/status', async () => (await setup()).setupStatus)

/**
 * Data that may change unnoticed while the event stream is down: refetched each time it opens, if a page shows it. The figures of the sale
 * are not among them, because the stream itself opens with them.
 */
export const streamedQueries = [
  authUserQuery,
  purchasesQuery,
  distributionsQuery,
  withdrawalsQuery,
  dailyLimitQuery,
  userNodesQuery,
  reservationQuery,
  inboxQuery,
  unreadQuery,
  paymentsQuery,
  systemSettingsQuery,
  nodeSettingsQuery,
  configQuery,
  otpStatusQuery,
]
