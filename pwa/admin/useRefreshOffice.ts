import { useQueryClient } from '@tanstack/react-query'
import { getAdminCharts, getAdminStats } from '#shared/contract/admin/office.ts'
import { getPerson } from '#shared/contract/admin/person.ts'
import { listAdminPurchases, listPendingReviews } from '#shared/contract/admin/purchases.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'

/**
 * Data that any change by an administrator may affect: the figures above the tabs, the purchases, the page of an account, the
 * public figures.
 */
const common = [getAdminStats, getAdminCharts, listAdminPurchases, listPendingReviews, getPerson, getNodeStats].map(
  ({ path }) => path,
)

/** Refetches that common data and the named paths. */
export function useRefreshOffice(): (...paths: string[]) => Promise<unknown> {
  const queryClient = useQueryClient()
  return (...paths) => Promise.all([...common, ...paths].map((path) => queryClient.invalidateQueries({ queryKey: [path] })))
}
