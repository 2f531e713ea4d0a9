import { expect, test } from 'vitest'
import { type SettingKey, settingDefaults, settingKeys } from './settings.ts'
import { settingRules } from './settingRules.ts'

const kept: [SettingKey, given: string, kept: string][] = [
  ['sales_enabled', 'true', 'true'],
  ['server_notice_enabled', 'false', 'false'],
  ['sales_start_date', '', ''],
  ['sales_start_date', '2026-12-01T09:45:00Z', '2026-12-01T09:45:00.000Z'],
  ['sales_start_date', '2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
  ['sales_start_date', '2028-02-29T00:15:00.000Z', '2028-02-29T00:15:00.000Z'],
  ['withdrawal_fee_amount', '0', '0'],
  ['withdrawal_fee_amount', '5.50', '5.5'],
  ['withdrawal_fee_amount', '0.000000000000000001', '0.000000000000000001'],
  ['fee_recipient_address', '', ''],
  ['fee_recipient_address', `0x${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
  ['node_price_usdt', '0.1', '0.1'],
  ['node_price_usdt', '1000000000', '1000000000'],
  ['xcr_per_node_daily', '0', '0'],
  ['xcr_per_node_daily', '12.5', '12.5'],
]

test.each(kept)('%s keeps %j as %j', (key, given, expected) => {
  expect(settingRules[key].read(given)).toBe(expected)
})

const refused: [SettingKey, given: string][] = [
  ['sales_enabled', 'yes'],
  ['sales_enabled', ''],
  ['sales_enabled', 'TRUE'],
  ['server_notice_enabled', '1'],
  ['sales_start_date', '2026-12-01'],
  ['sales_start_date', '2026-12-01T09:10:00Z'],
  ['sales_start_date', '2026-12-01T09:00:01Z'],
  ['sales_start_date', '2026-12-01T09:00:00+09:00'],
  ['sales_start_date', '2026-12-01T09:00:00'],
  ['sales_start_date', '2026-02-30T09:00:00Z'],
  ['sales_start_date', '2026-13-01T09:00:00Z'],
  ['sales_start_date', 'soon'],
  ['withdrawal_fee_amount', ''],
  ['withdrawal_fee_amount', '-1'],
  ['withdrawal_fee_amount', '5,000'],
  ['withdrawal_fee_amount', '1e3'],
  ['withdrawal_fee_amount', '1.0000000000000000001'],
  ['withdrawal_fee_amount', '1000000001'],
  ['fee_recipient_address', '0x12'],
  ['fee_recipient_address', 'ab'.repeat(20)],
  ['fee_recipient_address', `0x${'g'.repeat(40)}`],
  ['fee_recipient_address', `0x${'0'.repeat(40)}`],
  // A correct address ends with 5: its letter case is the checksum.
  ['fee_recipient_address', '0x55d398326f99059fF775485246999027B3197956'],
  ['node_price_usdt', '0'],
  ['node_price_usdt', '0.0'],
  ['node_price_usdt', '-3'],
  ['node_price_usdt', 'free'],
  ['node_price_usdt', '9'.repeat(60)],
  ['xcr_per_node_daily', '-1'],
  ['xcr_per_node_daily', ''],
]

test.each(refused)('%s refuses %j', (key, given) => {
  expect(settingRules[key].read(given)).toBeUndefined()
})

test('the defaults of a fresh installation obey the rules, in their stored form', () => {
  for (const key of settingKeys) expect(settingRules[key].read(settingDefaults[key])).toBe(settingDefaults[key])
})

test('the error about a fee is the printed one', () => {
  expect(settingRules.withdrawal_fee_amount.message).toContain('fee must be an XCR amount of 0 or more')
})
