import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type AdminStats, getAdminCharts, getAdminStats } from '#shared/contract/admin/office.ts'
import { api } from '#pwa/lib/api.ts'
import { emptyIfForbidden } from '../emptyIfForbidden.ts'

const noStats: AdminStats = {
  totalUsers: 0,
  totalNodesSold: 0,
  paidNodesSold: 0,
  bonusNodesGiven: 0,
  totalRevenue: 0n,
  pendingReviews: 0,
  allWaiting: 0,
  vestingStartDate: null,
}

export const adminStatsQuery = queryOptions({
  queryKey: [getAdminStats.path],
  queryFn: ({ signal }) => emptyIfForbidden(api(getAdminStats, {}, { signal }), noStats),
})

/** Number of days the charts cover. */
export const chartSpans = ['30', '90', '365'] as const
export type ChartSpan = (typeof chartSpans)[number]

export const adminChartsQuery = (days: ChartSpan) =>
  queryOptions({
    queryKey: [getAdminCharts.path, { days }],
    queryFn: ({ signal }) => api(getAdminCharts, { query: { days } }, { signal }),
    placeholderData: keepPreviousData,
  })
