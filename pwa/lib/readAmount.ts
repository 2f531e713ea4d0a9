import { parseAmount } from '#shared/amount.ts'

const isSpaced = /^\d{1,3}(?:\s\d{3})+(?:[.,]\d*)?$/

/** Parses an amount of XCR as people paste it: also with its unit, and with spaces that group its digits. */
export function readAmount(typed: string): bigint | undefined {
  const digits = typed.trim().replace(/\s*XCR$/i, '')
  return parseAmount(isSpaced.test(digits) ? digits.replaceAll(/\s/g, '') : digits)
}
