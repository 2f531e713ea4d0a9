import { type QueryClient, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { configQuery } from './queries.ts'
import { useIsHydrated } from './useIsHydrated.ts'

/** Real time by the server's clock: reservations expire by it, not by the device's clock. */
export const useServerTime = (): Date => useServerClock('serverTime')

/** The time of sales and rewards, by the server's clock. */
export const useProductTime = (): Date => useServerClock('productTime')

/** Updated once a second. */
function useServerClock(clock: 'serverTime' | 'productTime'): Date {
  const { data: config, dataUpdatedAt } = useQuery(configQuery)
  const offset = config ? config[clock].getTime() - dataUpdatedAt : 0
  const [now, setNow] = useState(() => Date.now())
  const isHydrated = useIsHydrated()
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [])
  // The server-rendered time is hydrated unchanged and updates from then on.
  return new Date((isHydrated ? now : dataUpdatedAt) + offset)
}

/** Real time right now, outside of rendering: for a timestamp that the server checks. */
export function readServerTime(queryClient: QueryClient): Date {
  const state = queryClient.getQueryState(configQuery.queryKey)
  return new Date(Date.now() + (state?.data ? state.data.serverTime.getTime() - state.dataUpdatedAt : 0))
}
