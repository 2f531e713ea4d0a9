import type { QueryClient } from '@tanstack/react-query'
import { resetQuantity } from '#pwa/features/purchase/chosenQuantity.ts'
import {
  authUserQuery,
  dailyLimitQuery,
  distributionsQuery,
  inboxQuery,
  messageChoicesQuery,
  notificationsQuery,
  otpStatusQuery,
  passkeysQuery,
  paymentsQuery,
  purchasesQuery,
  reservationQuery,
  sessionsQuery,
  unreadQuery,
  userNodesQuery,
  withdrawalsQuery,
} from '#pwa/lib/queries.ts'
import { forgetShownSecret } from '#pwa/lib/shownSecret.ts'
import { forgetOwnNodes } from '#pwa/register/news.ts'

/** Queries with personal data, which the next user must not see. */
const personalQueries = [
  purchasesQuery,
  paymentsQuery,
  distributionsQuery,
  withdrawalsQuery,
  dailyLimitQuery,
  userNodesQuery,
  reservationQuery,
  otpStatusQuery,
  passkeysQuery,
  notificationsQuery,
  sessionsQuery,
  inboxQuery,
  unreadQuery,
  messageChoicesQuery,
  { queryKey: ['/api/push/subscription'] },
]

/** Stops what is being loaded of it: it would be refused once the session has ended. */
export async function cancelUserData(queryClient: QueryClient): Promise<void> {
  await Promise.all(personalQueries.map(({ queryKey }) => queryClient.cancelQueries({ queryKey })))
}

/** Clears all personal data from the page; the user is logged out. */
export function clearUserData(queryClient: QueryClient): void {
  delete window.earlyAnswers
  forgetOwnNodes()
  resetQuantity()
  forgetShownSecret()
  // An answer that is under way would bring the user back.
  void queryClient.cancelQueries({ queryKey: authUserQuery.queryKey })
  queryClient.setQueryData(authUserQuery.queryKey, null)
  for (const { queryKey } of personalQueries) queryClient.removeQueries({ queryKey })
}
