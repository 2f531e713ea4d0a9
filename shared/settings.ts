/** The settings that an administrator can change, in display order. Values are strings. */
export const settingKeys = [
  'sales_enabled',
  'server_notice_enabled',
  'sales_start_date',
  'withdrawal_fee_amount',
  'fee_recipient_address',
  'node_price_usdt',
  'xcr_per_node_daily',
] as const
export type SettingKey = (typeof settingKeys)[number]

/** The values of a fresh installation. */
export const settingDefaults: Record<SettingKey, string> = {
  sales_enabled: 'true',
  server_notice_enabled: 'false',
  sales_start_date: '',
  withdrawal_fee_amount: '5',
  fee_recipient_address: '',
  node_price_usdt: '3',
  xcr_per_node_daily: '10',
}
