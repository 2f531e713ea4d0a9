import { type QueryClient, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { configQuery } from './queries.ts'
import { useIsDrawn } from './useIsDrawn.ts'

/** Real time by the server's clock, ticking once a second: reservations run out by it, whatever this device's clock says. */
export function useServerTime(): Date {
  const { data: config, dataUpdatedAt } = useQuery(configQuery)
  const offset = config ? config.serverTime.getTime() - dataUpdatedAt : 0
  const [now, setNow] = useState(() => Date.now())
  const isDrawn = useIsDrawn()
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [])
  // What the server has drawn is taken over as it is, and ticks from then on.
  return new Date((isDrawn ? now : dataUpdatedAt) + offset)
}

/** The same time at this moment, outside of what is drawn: for a timestamp that the server checks. */
export function readServerTime(queryClient: QueryClient): Date {
  const state = queryClient.getQueryState(configQuery.queryKey)
  return new Date(Date.now() + (state?.data ? state.data.serverTime.getTime() - state.dataUpdatedAt : 0))
}
