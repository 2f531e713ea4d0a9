import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { distributionsQuery, purchasesQuery, userNodesQuery, withdrawalsQuery } from '#pwa/lib/queries.ts'

/** Long after the page has what it shows. */
const DELAY = 3 * SECOND

/**
 * Reads what its person would want to see without a connection, and keeps reading it whenever it changes: rows and a balance of
 * different days would not add up. Only where the page can be opened without a connection at all.
 */
export function OwnFiguresKeeper() {
  const [isAtRest, setAtRest] = useState(false)
  useEffect(() => {
    if (!navigator.serviceWorker?.controller) return
    const timer = setTimeout(() => setAtRest(true), DELAY)
    return () => clearTimeout(timer)
  }, [])
  useQueries({
    queries: [userNodesQuery, purchasesQuery, distributionsQuery, withdrawalsQuery].map((query) => ({
      ...(query as typeof purchasesQuery),
      enabled: isAtRest,
    })),
  })
  return null
}
