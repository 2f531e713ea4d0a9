import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import { authUserQuery, distributionsQuery, purchasesQuery, withdrawalsQuery } from '#pwa/lib/queries.ts'
import { distributionEntry, type HistoryEntry, purchaseEntry, withdrawalEntry } from './historyEntries.ts'

export interface History {
  balance: AuthUser['balance']
  withdrawn: AuthUser['withdrawn']
  entries: HistoryEntry[]
}

interface HistoryReading {
  /** Absent until every query has loaded once. */
  history: History | undefined
  error: Error | null
  isFetching: boolean
  /** Refetches the failed queries. A failed account query is handled by AccountError. */
  retry: () => void
}

/** All entries that moved the user's nodes and XCR, each with the resulting balance. */
export function useHistory(): HistoryReading {
  const account = useQuery(authUserQuery)
  const purchases = useQuery(purchasesQuery)
  const distributions = useQuery(distributionsQuery)
  const withdrawals = useQuery({ ...withdrawalsQuery, enabled: Boolean(account.data?.id) })
  const sources = [purchases, distributions, withdrawals]

  const latest = useMemo(
    (): History | undefined =>
      account.data && purchases.data && distributions.data && withdrawals.data
        ? {
            balance: account.data.balance,
            withdrawn: account.data.withdrawn,
            entries: [
              ...purchases.data.map(purchaseEntry),
              ...distributions.data.map(distributionEntry),
              ...withdrawals.data.map(withdrawalEntry),
            ],
          }
        : undefined,
    [account.data, purchases.data, distributions.data, withdrawals.data],
  )
  const isFetching = sources.some((source) => source.isFetching)
  return {
    history: useLastSettled(latest, !isFetching && !account.isFetching && !account.isError),
    error: sources.find((source) => source.isError)?.error ?? null,
    isFetching,
    retry: () => sources.filter((source) => source.isError).forEach((source) => void source.refetch()),
  }
}

/** The last value for which every query was loaded: with only part of a change, the running balances would be wrong. */
function useLastSettled<T>(value: T, isSettled: boolean): T {
  const [settled, setSettled] = useState(value)
  if (isSettled && settled !== value) setSettled(value)
  return isSettled ? value : settled
}
