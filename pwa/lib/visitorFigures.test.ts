import { expect, test } from 'vitest'
import { z } from 'zod'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { getConfig, getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { amountOf, someConfig } from '#pwa/testing/answers.ts'
import { createQueryClient } from './createQueryClient.ts'
import { configQuery, nodeSettingsQuery, nodeStatsQuery, systemSettingsQuery } from './queries.ts'
import { restoreFigures } from './visitorFigures.ts'

test('embedded data is decoded as the contract would', () => {
  const stats = { total: 20_000, totalSold: 12, remaining: 19_988, progress: 0.06 }
  const nodes = { nodePrice: amountOf('3.5'), totalLimit: 20_000 }
  const settings = [{ key: 'sales_enabled' as const, value: 'true' }]
  const config = someConfig()
  const queryClient = createQueryClient()
  const figures = {
    '/api/stats/nodes': z.encode(getNodeStats.response, stats),
    '/api/settings/nodes': z.encode(getNodeSettings.response, nodes),
    '/api/system-settings': z.encode(listSystemSettings.response, settings),
    '/api/config': z.encode(getConfig.response, config),
  }
  restoreFigures(queryClient, figures, { isVisitors: false })

  expect(queryClient.getQueryData(nodeStatsQuery.queryKey)).toEqual(stats)
  expect(queryClient.getQueryData(nodeSettingsQuery.queryKey)).toEqual(nodes)
  expect(queryClient.getQueryData(systemSettingsQuery.queryKey)).toEqual(settings)
  expect(queryClient.getQueryData(configQuery.queryKey)).toEqual(config)
})
