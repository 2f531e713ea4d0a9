import { useQuery } from '@tanstack/react-query'
import { type SettingKey, settingDefaults } from '#shared/settings.ts'
import { DEFAULT_NODE_SUPPLY } from '#shared/sale.ts'
import { parseAmount } from '#shared/amount.ts'
import { nodeSettingsQuery, nodeStatsQuery, systemSettingsQuery } from './queries.ts'

export interface Sale {
  isLoading: boolean
  nodePrice: bigint
  totalLimit: number
  totalSold: number
  /** Part of the sold nodes: reserved and not paid yet. */
  reserved: number
  remaining: number
  /** Percent sold, 0 to 100. */
  progress: number
  /** The administrator's sales switch. */
  isEnabled: boolean
  /** Null: no start date, so the sale has started. */
  startsAt: Date | null
  settings: Record<SettingKey, string>
}

/** The sale's public data, with the specification's defaults until the server has answered. */
export function useSale(): Sale {
  const stats = useQuery(nodeStatsQuery)
  const nodes = useQuery(nodeSettingsQuery)
  const system = useQuery(systemSettingsQuery)

  const settings = { ...settingDefaults, ...Object.fromEntries((system.data ?? []).map(({ key, value }) => [key, value])) }
  const startsAt = settings.sales_start_date ? new Date(settings.sales_start_date) : null
  return {
    isLoading: stats.isPending || nodes.isPending || system.isPending,
    nodePrice: nodes.data?.nodePrice ?? parseAmount(settingDefaults.node_price_usdt)!,
    totalLimit: nodes.data?.totalLimit ?? DEFAULT_NODE_SUPPLY,
    totalSold: stats.data?.totalSold ?? 0,
    reserved: stats.data?.reserved ?? 0,
    remaining: stats.data?.remaining ?? DEFAULT_NODE_SUPPLY,
    progress: stats.data?.progress ?? 0,
    isEnabled: settings.sales_enabled === 'true',
    startsAt: startsAt && !Number.isNaN(startsAt.getTime()) ? startsAt : null,
    settings,
  }
}
