import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { configQuery } from './queries.ts'
import { useIsDrawn } from './useIsDrawn.ts'

/** The time by which sales open and rewards are paid, ticking once a second: the server's, whatever this device's clock says. */
export function useProductTime(): Date {
  const { data: config, dataUpdatedAt } = useQuery(configQuery)
  const offset = config ? config.productTime.getTime() - dataUpdatedAt : 0
  const [now, setNow] = useState(() => Date.now())
  const isDrawn = useIsDrawn()
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [])
  // What the server has drawn is taken over as it is, and ticks from then on.
  return new Date((isDrawn ? now : dataUpdatedAt) + offset)
}
