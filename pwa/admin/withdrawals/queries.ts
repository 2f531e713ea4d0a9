import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import {
  listAdminWithdrawals,
  searchAdminWithdrawals,
  summarizeWithdrawals,
  type WithdrawalFilter,
  WITHDRAWALS_PER_PAGE,
} from '#shared/contract/admin/withdrawals.ts'
import { api } from '#pwa/lib/api.ts'
import { type ListFilter, queryOf } from '../lists/useListParams.ts'

export interface WithdrawalPlace {
  email: string
  filter: ListFilter<WithdrawalFilter, never, RowSort>
  zone: string
  page: number
}

function readWithdrawals(
  { email, filter, zone }: WithdrawalPlace,
  { limit, offset }: { limit: number; offset: number },
  signal: AbortSignal,
) {
  const query = { limit, offset, ...queryOf(filter, zone) }
  return email
    ? api(searchAdminWithdrawals, { query: { ...query, email } }, { signal })
    : api(listAdminWithdrawals, { query }, { signal })
}

/** One page of the withdrawals that match. Refetched on every mount, because others change it. */
export const adminWithdrawalsQuery = (place: WithdrawalPlace) =>
  queryOptions({
    queryKey: [place.email ? searchAdminWithdrawals.path : listAdminWithdrawals.path, place],
    queryFn: ({ signal }) =>
      readWithdrawals(place, { limit: WITHDRAWALS_PER_PAGE, offset: (place.page - 1) * WITHDRAWALS_PER_PAGE }, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

export const countWithdrawals = async (place: WithdrawalPlace, signal: AbortSignal): Promise<number> =>
  (await readWithdrawals(place, { limit: 1, offset: 0 }, signal)).totalCount

/** The sums of all withdrawals that match. */
export const withdrawalSummaryQuery = ({ email, filter, zone }: WithdrawalPlace) =>
  queryOptions({
    // Decisions refetch the list by the first key, and its sums with it.
    queryKey: [listAdminWithdrawals.path, 'summary', { email, filter, zone }],
    queryFn: ({ signal }) => {
      const { sort: _sort, ...query } = queryOf(filter, zone)
      return api(summarizeWithdrawals, { query: { ...query, ...(email && { email }) } }, { signal })
    },
    gcTime: 0,
  })
