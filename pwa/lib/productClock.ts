import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { configQuery } from './queries.ts'
import { useIsHydrated } from './useIsHydrated.ts'

/** The time for sales and rewards, updated once a second: based on the server's clock, not the device's. */
export function useProductTime(): Date {
  const { data: config, dataUpdatedAt } = useQuery(configQuery)
  const offset = config ? config.productTime.getTime() - dataUpdatedAt : 0
  const [now, setNow] = useState(() => Date.now())
  const isHydrated = useIsHydrated()
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [])
  // The server-rendered time is hydrated unchanged and updates from then on.
  return new Date((isHydrated ? now : dataUpdatedAt) + offset)
}
