import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { configQuery } from './queries.ts'

/** The time by which sales open and rewards are paid, ticking once a second: the server's, whatever this device's clock says. */
export function useProductTime(): Date {
  const { data: config, dataUpdatedAt } = useQuery(configQuery)
  const offset = config ? config.productTime.getTime() - dataUpdatedAt : 0
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [])
  return new Date(now + offset)
}
