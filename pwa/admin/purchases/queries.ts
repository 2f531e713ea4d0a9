import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listIgnoredDeposits } from '#shared/contract/admin/deposits.ts'
import {
  listAdminPurchases,
  listPendingReviews,
  type PurchaseFilter,
  type PurchaseKind,
  PURCHASES_PER_PAGE,
  REVIEWS_PER_PAGE,
} from '#shared/contract/admin/purchases.ts'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import { type ListFilter, queryOf } from '../lists/useListParams.ts'
import { api } from '#pwa/lib/api.ts'
import { emptyIfForbidden } from '../emptyIfForbidden.ts'
import { emptyPaging } from '../lists/emptyPaging.ts'

export interface PurchasePlace {
  email: string
  filter: ListFilter<PurchaseFilter, PurchaseKind, RowSort>
  zone: string
  page: number
}

const readPurchases = (
  { email, filter, zone }: PurchasePlace,
  { limit, offset }: { limit: number; offset: number },
  signal: AbortSignal,
) =>
  emptyIfForbidden(
    api(listAdminPurchases, { query: { limit, offset, ...(email && { email }), ...queryOf(filter, zone) } }, { signal }),
    { purchases: [], summary: null, ...emptyPaging },
  )

export const countPurchases = async (place: PurchasePlace, signal: AbortSignal): Promise<number> =>
  (await readPurchases(place, { limit: 1, offset: 0 }, signal)).totalCount

/** Other people change these lists, so they are refetched on every mount. */
export const purchasesQuery = (place: PurchasePlace) =>
  queryOptions({
    queryKey: [listAdminPurchases.path, place] as const,
    queryFn: ({ signal }) =>
      readPurchases(place, { limit: PURCHASES_PER_PAGE, offset: (place.page - 1) * PURCHASES_PER_PAGE }, signal),
    gcTime: 0,
    placeholderData: keepPreviousData,
  })

/** How many cases there are now. */
export const countReviews = async (signal: AbortSignal): Promise<number> =>
  (await api(listPendingReviews, { query: { limit: 1, offset: 0 } }, { signal })).totalCount

export const reviewsQuery = (page: number) =>
  queryOptions({
    queryKey: [listPendingReviews.path, { page }] as const,
    queryFn: ({ signal }) =>
      emptyIfForbidden(
        api(listPendingReviews, { query: { limit: REVIEWS_PER_PAGE, offset: (page - 1) * REVIEWS_PER_PAGE } }, { signal }),
        {
          purchases: [],
          deposits: [],
          groups: [],
          otherPurchases: [],
          unmatchedUsdt: 0n,
          ...emptyPaging,
        },
      ),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

/** Ignored payments whose sender, transaction or account contains the text. */
export const ignoredDepositsQuery = ({ search, page }: { search: string; page: number }) =>
  queryOptions({
    queryKey: [listIgnoredDeposits.path, { search, page }] as const,
    queryFn: ({ signal }) =>
      emptyIfForbidden(
        api(
          listIgnoredDeposits,
          { query: { limit: REVIEWS_PER_PAGE, offset: (page - 1) * REVIEWS_PER_PAGE, ...(search && { search }) } },
          { signal },
        ),
        { deposits: [], ...emptyPaging },
      ),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

/** The purchases of one account that a deposit can still pay, newest first. */
export const openPurchasesQuery = (email: string) =>
  queryOptions({
    queryKey: [listAdminPurchases.path, { openOf: email }] as const,
    queryFn: async ({ signal }) => {
      const { purchases } = await api(listAdminPurchases, { query: { limit: 100, offset: 0, email } }, { signal })
      return purchases.filter(
        ({ user, paymentStatus }) => user.email === email && (paymentStatus === 'pending' || paymentStatus === 'manual_review'),
      )
    },
    staleTime: 0,
  })
