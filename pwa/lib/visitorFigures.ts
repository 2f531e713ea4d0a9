import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { getNodeStats } from '#shared/contract/nodes.ts'
import type { getConfig, getNodeSettings, listSystemSettings, PublicConfig } from '#shared/contract/settings.ts'
import { parseAmount } from '#shared/amount.ts'
import {
  authUserQuery,
  configQuery,
  nodeSettingsQuery,
  nodeStatsQuery,
  setupStatusQuery,
  systemSettingsQuery,
} from './queries.ts'

/** The public responses by path, as sent over the wire. */
export interface VisitorFigures {
  '/api/stats/nodes': z.input<(typeof getNodeStats)['response']>
  '/api/settings/nodes': z.input<(typeof getNodeSettings)['response']>
  '/api/system-settings': z.input<(typeof listSystemSettings)['response']>
  '/api/config': z.input<(typeof getConfig)['response']>
}

/**
 * Puts the data embedded in the page into the query cache. Decoded by hand, because the schemas load later;
 * visitorFigures.test.ts compares both.
 *
 * @param isVisitors whether the server knew that nobody is logged in.
 */
export function restoreFigures(queryClient: QueryClient, figures: VisitorFigures, { isVisitors }: { isVisitors: boolean }): void {
  const { nodePrice, totalLimit } = figures['/api/settings/nodes']
  const { serverTime, productTime, ...config } = figures['/api/config']
  if (isVisitors) queryClient.setQueryData(authUserQuery.queryKey, null)
  queryClient.setQueryData(setupStatusQuery.queryKey, { setupRequired: false })
  queryClient.setQueryData(nodeStatsQuery.queryKey, figures['/api/stats/nodes'])
  queryClient.setQueryData(nodeSettingsQuery.queryKey, { nodePrice: parseAmount(nodePrice)!, totalLimit })
  queryClient.setQueryData(systemSettingsQuery.queryKey, figures['/api/system-settings'])
  queryClient.setQueryData(configQuery.queryKey, {
    ...(config as PublicConfig),
    serverTime: new Date(serverTime),
    productTime: new Date(productTime),
  })
}

/** The data embedded in the page, if any. */
export function readFigures(): VisitorFigures | null {
  const text = document.getElementById('figures')?.textContent
  return text ? (JSON.parse(text) as VisitorFigures) : null
}
