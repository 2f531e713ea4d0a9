import { isZeroAddress, typedAddress } from './typedAddress.ts'
import { formatAmount, ONE_TOKEN, parseAmount } from './amount.ts'
import type { SettingKey } from './settings.ts'
import { MINUTE } from './dates.ts'

/** Upper limit of prices, fees and rates, so that their sums fit into the database columns. */
export const MAX_AMOUNT = 1_000_000_000n * ONE_TOKEN

/** Whether an amount fits into the columns, together with others. */
export const isTokenAmount = (amount: bigint): boolean => amount <= MAX_AMOUNT

/** Sales start on a quarter of an hour. */
export const SALES_START_STEP = 15 * MINUTE

interface Rule {
  /** Message for an invalid value. */
  message: string
  /** The stored form of the value, or undefined if it is invalid. */
  read(text: string): string | undefined
}

/** A comma is refused, because some write 5,000 with it and others 5.0. */
function readAmount(text: string, isAllowed: (amount: bigint) => boolean): string | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? parseAmount(text) : undefined
  return value !== undefined && isTokenAmount(value) && isAllowed(value) ? formatAmount(value) : undefined
}

const isOnOrOff: Rule = {
  message: 'Please choose on or off: "true" or "false".',
  read: (text) => (text === 'true' || text === 'false' ? text : undefined),
}

function readStart(text: string): string | undefined {
  if (text === '') return ''
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(text)) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time) || time % SALES_START_STEP !== 0) return undefined
  // Date would read 30 February as 2 March.
  return new Date(time).toISOString().startsWith(text.slice(0, 16)) ? new Date(time).toISOString() : undefined
}

/** The rule of each setting, used by client and server. */
export const settingRules: Record<SettingKey, Rule> = {
  sales_enabled: isOnOrOff,
  server_notice_enabled: isOnOrOff,
  sales_start_date: {
    message: 'The sales start must be a date and time in UTC, in steps of 15 minutes, or empty.',
    read: readStart,
  },
  withdrawal_fee_amount: {
    message: 'The fee must be an XCR amount of 0 or more.',
    read: (text) => readAmount(text, () => true),
  },
  fee_recipient_address: {
    message: 'The fee recipient must be a wallet address (0x + 40 hex characters), or empty.',
    read: (text) => (text === '' ? '' : typedAddress.refine((hex) => !isZeroAddress(hex)).safeParse(text).data),
  },
  node_price_usdt: {
    message: 'The node price must be a USDT amount above 0.',
    read: (text) => readAmount(text, (amount) => amount > 0n),
  },
  xcr_per_node_daily: {
    message: 'The daily reward must be an XCR amount of 0 or more.',
    read: (text) => readAmount(text, () => true),
  },
}
