import type { QueryClient } from '@tanstack/react-query'
import {
  authUserQuery,
  distributionsQuery,
  inboxQuery,
  notificationsQuery,
  otpStatusQuery,
  purchasesQuery,
  reservationQuery,
  sessionsQuery,
  unreadQuery,
  userNodesQuery,
  withdrawalsQuery,
} from '#pwa/lib/queries.ts'
import { forgetOwnNodes } from '#pwa/register/news.ts'

/** Queries with personal data, which the next user must not see. */
const personalQueries = [
  purchasesQuery,
  distributionsQuery,
  withdrawalsQuery,
  userNodesQuery,
  reservationQuery,
  otpStatusQuery,
  notificationsQuery,
  sessionsQuery,
  inboxQuery,
  unreadQuery,
  { queryKey: ['/api/inbox/choices'] },
  { queryKey: ['/api/push/subscription'] },
]

/** Clears all personal data from the page; the user is logged out. */
export function clearUserData(queryClient: QueryClient): void {
  delete window.earlyAnswers
  forgetOwnNodes()
  queryClient.setQueryData(authUserQuery.queryKey, null)
  for (const { queryKey } of personalQueries) queryClient.removeQueries({ queryKey })
}
