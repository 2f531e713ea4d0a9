import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { getWaiting, type Waiting } from '#shared/contract/admin/waiting.ts'
import { MINUTE } from '#shared/dates.ts'
import { api } from '#pwa/lib/api.ts'
import { followEvents } from '#pwa/lib/followEvents.ts'
import { emptyIfForbidden } from '../emptyIfForbidden.ts'
import { NEW_ROWS_KEY } from '../lists/NewRows.tsx'
import { adminStatusQuery } from '../queries.ts'

const nothing: Waiting = {
  withdrawals: 0,
  holds: 0,
  reviews: 0,
  proposals: 0,
  stoppedPayouts: 0,
  lowWallets: 0,
  differences: 0,
  failingTasks: 0,
  total: 0,
}

/** Refetched from time to time as well, because a failed job has no event. */
export const waitingQuery = queryOptions({
  queryKey: [getWaiting.path],
  queryFn: ({ signal }) => emptyIfForbidden(api(getWaiting, {}, { signal }), nothing),
  staleTime: 0,
  refetchInterval: MINUTE,
})

/** What waits for an administrator; undefined until it is known. */
export const useWaiting = (): Waiting | undefined => useQuery(waitingQuery).data

/** Follows the back office's event stream while the panel is open. */
export function useOfficeEvents(): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    const refetch = (keys: readonly string[]) => {
      for (const key of keys) void queryClient.invalidateQueries({ queryKey: [key] })
    }
    return followEvents(ADMIN_EVENTS_PATH, {
      onOpen: () => refetch([getWaiting.path, getAdminStats.path, NEW_ROWS_KEY]),
      // A purchase that waits no longer has been sold.
      onMessage: ({ keys }) => refetch([...keys, ...(keys.includes(getWaiting.path) ? [getAdminStats.path] : []), NEW_ROWS_KEY]),
      // The address may have been taken off the list, which ends the stream.
      onRefused: () => refetch([adminStatusQuery.queryKey[0]]),
    })
  }, [queryClient])
}
