import type { EntityManager } from '@mikro-orm/postgresql'
import { parseAmount } from '#shared/amount.ts'
import { type SettingKey, settingDefaults, settingKeys } from '#shared/settings.ts'
import { query } from '#api/entities/tables.ts'

/** All settings except the daily rate, which follows product time and may be scheduled: see `readDailyRate`. */
export type Settings = Record<Exclude<SettingKey, 'xcr_per_node_daily'>, string>

/** The settings in force at a real time, by default now. */
export async function readSettings(em: EntityManager, at?: Date): Promise<Settings> {
  const rows = await query(em)
    .selectFrom('setting_changes')
    .distinctOn('key')
    .select(['key', 'value'])
    .$if(at !== undefined, (changes) => changes.where('effectiveAt', '<=', at!))
    .where('key', '<>', 'xcr_per_node_daily')
    .orderBy('key')
    .orderBy('effectiveAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  return Object.fromEntries(
    settingKeys.filter((key) => key !== 'xcr_per_node_daily').map((key) => [key, stored[key] ?? settingDefaults[key]]),
  ) as Settings
}

/** The price of one node, in the smallest unit of USDT. */
export const nodePriceOf = (settings: Pick<Settings, 'node_price_usdt'>): bigint => parseAmount(settings.node_price_usdt) ?? 0n

/** The prices of one node that were in force at any time between two instants, newest first. There is at least one. */
export async function readNodePrices(em: EntityManager, { from, until }: { from: Date; until: Date }): Promise<bigint[]> {
  const changes = await query(em)
    .selectFrom('setting_changes')
    .select(['value', 'effectiveAt'])
    .where('key', '=', 'node_price_usdt')
    .where('effectiveAt', '<=', until)
    .orderBy('effectiveAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const first = changes.findIndex(({ effectiveAt }) => effectiveAt <= from)
  const values =
    first < 0
      ? [...changes.map(({ value }) => value), settingDefaults.node_price_usdt]
      : changes.slice(0, first + 1).map(({ value }) => value)
  return values.map((value) => nodePriceOf({ node_price_usdt: value }))
}

/** The withdrawal fee, in the smallest unit of XCR. */
export const withdrawalFeeOf = (settings: Pick<Settings, 'withdrawal_fee_amount'>): bigint =>
  parseAmount(settings.withdrawal_fee_amount) ?? 0n

/** Whether nodes can be bought, or why not. Sales open automatically at the start date, in product time. */
export function saleStateOf(settings: Settings, productNow: Date): 'open' | 'off' | 'not_started' {
  if (settings.sales_enabled !== 'true') return 'off'
  return settings.sales_start_date && productNow < new Date(settings.sales_start_date) ? 'not_started' : 'open'
}
