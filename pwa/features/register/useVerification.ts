import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { doubtConnection } from '#pwa/lib/connection.ts'
import { configQuery, nodeStatsQuery } from '#pwa/lib/queries.ts'
import { NotPublished } from '#pwa/register/Report.ts'
import { RegisterFiles } from '#pwa/register/RegisterFiles.ts'
import type { StoredReport } from '#pwa/register/storedReport.ts'
import { type DeviceResult, estimateBytes, type Person, verifyOnDevice } from '#pwa/register/verifyOnDevice.ts'
import { AccountChanged, watchAccount } from '#pwa/register/watchAccount.ts'

/** More is fetched only after a press. */
const MAX_UNASKED = 8_000_000

type Outcome =
  /** A press would fetch about so many bytes. */
  { type: 'asking'; size: number } | { type: 'done'; result: DeviceResult }

export interface Verification {
  state: { type: 'waiting' } | { type: 'running'; share: number } | { type: 'unreadable' } | { type: 'unpublished' } | Outcome
  /** Of this visit, or what the device kept of an earlier one. */
  stored: StoredReport | null
  start: () => void
}

/** Verifies the register once the page is open, unless that takes many bytes. */
export function useVerification(person: Person | null, kept: StoredReport | null): Verification {
  const { data: config } = useQuery(configQuery)
  const { data: stats } = useQuery(nodeStatsQuery)
  const [share, setShare] = useState(0)
  const [isAsked, setAsked] = useState(false)
  const query = useQuery<Outcome>({
    queryKey: ['register', person?.id ?? null, isAsked],
    queryFn: async () => {
      setShare(0)
      const ensureSameAccount = watchAccount()
      // Seconds do not matter here.
      const productNow = config!.productTime
      try {
        const size = isAsked ? 0 : await estimateBytes(new RegisterFiles(), { supply: stats!.total, productNow })
        if (size > MAX_UNASKED && !config!.demo) return { type: 'asking', size }
        return {
          type: 'done',
          result: await verifyOnDevice({ config: config!, person, ensureSameAccount, onProgress: setShare }),
        }
      } catch (error) {
        if (error instanceof NotPublished || error instanceof AccountChanged) throw error
        // The notice that there is no connection explains it better than this page can.
        doubtConnection()
        throw error
      }
    },
    enabled: config !== undefined && stats !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const outcome = query.data
  return {
    state: query.isFetching
      ? { type: 'running', share }
      : query.isError
        ? { type: query.error instanceof NotPublished ? 'unpublished' : 'unreadable' }
        : (outcome ?? { type: 'waiting' }),
    stored: outcome?.type === 'done' ? outcome.result.stored : kept,
    start: () => (outcome?.type === 'asking' ? setAsked(true) : void query.refetch()),
  }
}
