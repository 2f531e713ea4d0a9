import type { QueryClient } from '@tanstack/react-query'
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

/** Takes everything personal off the page: nobody is logged in. */
export function forgetPerson(queryClient: QueryClient): void {
  delete window.earlyAnswers
  queryClient.setQueryData(authUserQuery.queryKey, null)
  for (const { queryKey } of personalQueries) queryClient.removeQueries({ queryKey })
}
