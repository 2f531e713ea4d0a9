/** Decimals of every token in use: USDT on BNB Smart Chain has 18, and so has XCR. */
export const TOKEN_DECIMALS = 18

/** One whole token, in its smallest unit. */
export const ONE_TOKEN = 10n ** BigInt(TOKEN_DECIMALS)

/** As `formatAmount` groups digits, so that what a page shows can be typed or pasted. */
const isGrouped = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d{0,18})?$/

/**
 * Parses an amount of whole tokens; undefined if invalid. Never rounds. A comma that groups digits as ours do is no decimal comma: 3,000 is
 * three thousand, and 3,5 is three and a half.
 */
export function parseAmount(text: string): bigint | undefined {
  const typed = text.trim()
  const match = /^(\d{1,60})(?:[.,](\d{0,18}))?$/.exec(isGrouped.test(typed) ? typed.replaceAll(',', '') : typed)
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  return BigInt(whole + fraction.padEnd(TOKEN_DECIMALS, '0'))
}

export interface AmountFormat {
  /** Minimum number of decimals. */
  minDecimals?: number
  /** Maximum number of decimals. The rest is cut off, never rounded up, so that nobody sees more than there is. */
  maxDecimals?: number
  /** Writes 1,234,567 rather than 1234567. */
  grouped?: boolean
}

/** Groups the digits of an integer: 1,234,567. The same in all our languages, and without Intl, whose first use takes a phone 0.2 s. */
export const groupDigits = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

/** Formats an amount in whole tokens: exact and without trailing zeros by default. */
export function formatAmount(
  value: bigint,
  { minDecimals = 0, maxDecimals = TOKEN_DECIMALS, grouped = false }: AmountFormat = {},
): string {
  const negative = value < 0n
  const digits = (negative ? -value : value).toString().padStart(TOKEN_DECIMALS + 1, '0')
  const whole = digits.slice(0, -TOKEN_DECIMALS)
  const fraction = digits.slice(-TOKEN_DECIMALS).slice(0, maxDecimals).replace(/0+$/, '').padEnd(minDecimals, '0')
  const shown = grouped ? groupDigits(whole) : whole
  return `${negative ? '-' : ''}${shown}${fraction && `.${fraction}`}`
}
