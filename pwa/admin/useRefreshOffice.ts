import { useQueryClient } from '@tanstack/react-query'
import { getAdminCharts, getAdminStats } from '#shared/contract/admin/office.ts'
import { listAdminPurchases, listPendingReviews } from '#shared/contract/admin/purchases.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'

/** What every change by an administrator may have changed: the figures above the tabs, the purchases, the public figures. */
const common = [getAdminStats, getAdminCharts, listAdminPurchases, listPendingReviews, getNodeStats].map(({ path }) => path)

/** Reads again what a change may have changed: the common figures, and the paths named. */
export function useRefreshOffice(): (...paths: string[]) => Promise<unknown> {
  const queryClient = useQueryClient()
  return (...paths) => Promise.all([...common, ...paths].map((path) => queryClient.invalidateQueries({ queryKey: [path] })))
}
