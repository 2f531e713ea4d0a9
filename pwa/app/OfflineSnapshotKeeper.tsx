import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { copiedPaths } from '#pwa/lib/offlineCopies.ts'
import { distributionsQuery, inboxQuery, purchasesQuery, userNodesQuery, withdrawalsQuery } from '#pwa/lib/queries.ts'

/** Delay before the snapshot, well after the page has its own data. */
const SNAPSHOT_DELAY = 3 * SECOND

/**
 * Fetches the queries of the offline snapshot and keeps them fresh: rows and a balance of different days would not add up. Only
 * where a service worker can open the page offline.
 */
export function OfflineSnapshotKeeper() {
  const [isAtRest, setAtRest] = useState(false)
  useEffect(() => {
    if (!navigator.serviceWorker?.controller) return
    const timer = setTimeout(() => setAtRest(true), SNAPSHOT_DELAY)
    return () => clearTimeout(timer)
  }, [])
  useQueries({
    queries: [userNodesQuery, purchasesQuery, distributionsQuery, withdrawalsQuery, inboxQuery].map((query) => ({
      ...(query as typeof purchasesQuery),
      enabled: isAtRest,
    })),
  })
  useEffect(() => {
    if (isAtRest) void copyPublicFigures()
  }, [isAtRest])
  return null
}

/** Requests the public figures of which the service worker has no copy: a server-drawn page brings its own and requests none. */
async function copyPublicFigures(): Promise<void> {
  for (const path of copiedPaths) {
    // A failed request leaves no copy; the next visit tries again.
    if (!(await caches.match(path))) await fetch(path, { cache: 'no-cache' }).catch(() => {})
  }
}
