import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type DepositFilter, DEPOSITS_PER_PAGE, listDeposits } from '#shared/contract/admin/deposits.ts'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import { api } from '#pwa/lib/api.ts'
import { emptyIfForbidden } from '../emptyIfForbidden.ts'
import { emptyPaging } from '../lists/emptyPaging.ts'
import { type ListFilter, queryOf } from '../lists/useListParams.ts'
import type { DepositReason } from './depositWords.ts'

export interface DepositPlace {
  search: string
  filter: ListFilter<DepositFilter, DepositReason, RowSort>
  zone: string
  page: number
}

const readDeposits = (
  { search, filter, zone }: DepositPlace,
  { limit, offset }: { limit: number; offset: number },
  signal: AbortSignal,
) =>
  emptyIfForbidden(
    api(listDeposits, { query: { limit, offset, ...queryOf(filter, zone), ...(search && { search }) } }, { signal }),
    { deposits: [], summary: null, ...emptyPaging },
  )

/** One page of the deposits that match. Refetched on every mount, because the chain changes it. */
export const depositsQuery = (place: DepositPlace) =>
  queryOptions({
    queryKey: [listDeposits.path, place] as const,
    queryFn: ({ signal }) =>
      readDeposits(place, { limit: DEPOSITS_PER_PAGE, offset: (place.page - 1) * DEPOSITS_PER_PAGE }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

export const countDeposits = async (place: DepositPlace, signal: AbortSignal): Promise<number> =>
  (await readDeposits(place, { limit: 1, offset: 0 }, signal)).totalCount
