import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listAdminPurchases, listPendingReviews, PURCHASES_PER_PAGE } from '#shared/contract/admin/purchases.ts'
import { api } from '#pwa/lib/api.ts'
import { emptyIfForbidden } from '../emptyIfForbidden.ts'
import { emptyPaging } from '../lists/emptyPaging.ts'

interface Page {
  email: string
  page: number
}

/** Others buy and decide meanwhile: read at every look, as everything here. */
export const purchasesQuery = ({ email, page }: Page) =>
  queryOptions({
    queryKey: [listAdminPurchases.path, { email, page }] as const,
    queryFn: ({ signal }) =>
      emptyIfForbidden(
        api(
          listAdminPurchases,
          { query: { limit: PURCHASES_PER_PAGE, offset: (page - 1) * PURCHASES_PER_PAGE, ...(email && { email }) } },
          { signal },
        ),
        { purchases: [], summary: null, ...emptyPaging },
      ),
    gcTime: 0,
    placeholderData: keepPreviousData,
  })

export const reviewsQuery = queryOptions({
  queryKey: [listPendingReviews.path] as const,
  queryFn: ({ signal }) =>
    emptyIfForbidden(api(listPendingReviews, {}, { signal }), { purchases: [], deposits: [], unmatchedUsdt: 0n }),
  staleTime: 0,
})

/** The purchases of one account that a deposit can still pay, latest first. */
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
