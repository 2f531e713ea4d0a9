import { expect, test } from 'vitest'
import { formatAmount, ONE_TOKEN, parseAmount } from './amount.ts'

test.each([
  ['0', 0n],
  ['3', 3n * ONE_TOKEN],
  ['1,5', (3n * ONE_TOKEN) / 2n],
  ['0,125', ONE_TOKEN / 8n],
  ['3,000', 3_000n * ONE_TOKEN],
  ['12,345,678.5', (24_691_357n * ONE_TOKEN) / 2n],
  [' 2. ', 2n * ONE_TOKEN],
  ['0.000000000000000001', 1n],
  ['20000000000.000000000000000001', 20_000_000_000n * ONE_TOKEN + 1n],
])('%j is read exactly', (text, value) => {
  expect(parseAmount(text)).toBe(value)
})

test.each([
  '',
  '.',
  '.5',
  '-1',
  '+1',
  '1e3',
  '0x1',
  '1 000',
  '1,00.5',
  '1,000,00',
  '1234,567.8',
  '1.0000000000000000001',
  '1'.repeat(61),
])('%j is no amount: none is guessed or rounded', (text) => {
  expect(parseAmount(text)).toBeUndefined()
})

test.each([
  [0n, {}, '0'],
  [1n, {}, '0.000000000000000001'],
  [3n * ONE_TOKEN, {}, '3'],
  [3n * ONE_TOKEN, { minDecimals: 2 }, '3.00'],
  [(-3n * ONE_TOKEN) / 2n, {}, '-1.5'],
  [2n * ONE_TOKEN - 1n, { maxDecimals: 2 }, '1.99'],
  [2n * ONE_TOKEN - 1n, { maxDecimals: 0 }, '1'],
  [999n * ONE_TOKEN, { grouped: true }, '999'],
  [1_234_567n * ONE_TOKEN + ONE_TOKEN / 10n, { grouped: true }, '1,234,567.1'],
])('%s with %o is written as %s, never as more than there is', (value, format, text) => {
  expect(formatAmount(value, format)).toBe(text)
})
