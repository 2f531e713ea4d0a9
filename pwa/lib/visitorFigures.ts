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

/** The public answers by their paths, as they come over the wire. */
export interface VisitorFigures {
  '/api/stats/nodes': z.input<(typeof getNodeStats)['response']>
  '/api/settings/nodes': z.input<(typeof getNodeSettings)['response']>
  '/api/system-settings': z.input<(typeof listSystemSettings)['response']>
  '/api/config': z.input<(typeof getConfig)['response']>
}

/**
 * Puts what the server has drawn a visitor's page from where the page would have to ask for it otherwise. Decoded by hand, since the
 * schemas come later; visitorFigures.test.ts compares.
 */
export function restoreFigures(queryClient: QueryClient, figures: VisitorFigures): void {
  const { nodePrice, totalLimit } = figures['/api/settings/nodes']
  const { serverTime, productTime, ...config } = figures['/api/config']
  queryClient.setQueryData(authUserQuery.queryKey, null)
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

/** What the page was drawn from, if it was drawn on the server. */
export function readFigures(): VisitorFigures | null {
  const text = document.getElementById('figures')?.textContent
  return text ? (JSON.parse(text) as VisitorFigures) : null
}
