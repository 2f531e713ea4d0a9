import type { QueryClient } from '@tanstack/react-query'
import { EVENTS_PATH } from '#shared/contract/events.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { followEvents } from '#pwa/lib/followEvents.ts'
import { nodeStatsQuery, reservationQuery, streamedQueries } from '#pwa/lib/queries.ts'
import { showPlace } from '#pwa/features/purchase/placeInLine.ts'

/**
 * Refetches the queries that the server names, or takes the figures it sends along. Each time the stream opens, all that it tells of
 * is refetched once, because changes may have been missed. The first message has the figures of the sale.
 */
export const followLiveUpdates = (queryClient: QueryClient, onOpen?: () => void): (() => void) =>
  followEvents(EVENTS_PATH, {
    onOpen() {
      for (const { queryKey } of streamedQueries) void queryClient.invalidateQueries({ queryKey })
      onOpen?.()
    },
    onMessage({ keys, nodeStats, place }) {
      if (place !== undefined) applyPlace(queryClient, place)
      for (const key of keys)
        if (key !== nodeStatsQuery.queryKey[0] || !nodeStats) void queryClient.invalidateQueries({ queryKey: [key] })
      if (nodeStats) applyAnswer(queryClient, nodeStatsQuery, nodeStats)
    },
  })

/** A page that was loaded again has no request whose answer it could await, so it fetches the outcome. */
function applyPlace(queryClient: QueryClient, place: number | null): void {
  showPlace(place)
  if (place === null) void queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey })
}
