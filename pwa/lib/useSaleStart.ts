import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useProductTime } from './serverClock.ts'
import { configQuery, nodeStatsQuery, systemSettingsQuery } from './queries.ts'
import { useCompletion } from './useCompletion.ts'
import type { Sale } from './useSale.ts'

interface SaleStart {
  now: Date
  /** True without a start date. */
  hasStarted: boolean
  /** The page has counted down to it. */
  hasJustStarted: boolean
}

/** Counts down to the sale's start in product time. At the start the sale is refetched, so that the server decides whether it is open. */
export function useSaleStart({ startsAt }: Pick<Sale, 'startsAt'>): SaleStart {
  const queryClient = useQueryClient()
  const now = useProductTime()
  const [completed, setCompleted] = useState<number | null>(null)
  const moment = startsAt?.getTime() ?? null
  const complete = useCallback(() => {
    setCompleted(moment)
    for (const { queryKey } of [systemSettingsQuery, nodeStatsQuery, configQuery])
      void queryClient.invalidateQueries({ queryKey })
  }, [queryClient, moment])
  useCompletion(startsAt, now, complete)
  const hasStarted = startsAt === null || startsAt <= now
  return { now, hasStarted, hasJustStarted: hasStarted && completed !== null && completed === moment }
}
