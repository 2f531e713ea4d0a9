import { expect, test } from 'vitest'
import { formatAmount } from '#shared/amount.ts'
import { readAmount } from './readAmount.ts'

test.each([
  ['4,001.23456789 XCR', '4001.23456789'],
  [' 3500xcr\n', '3500'],
  ['3 000', '3000'],
  ['12 345 678,5', '12345678.5'],
  ['3\u202f500.25\u00a0XCR', '3500.25'],
  ['3,000', '3000'],
  ['3000,5', '3000.5'],
])('%j is %s', (typed, amount) => {
  const read = readAmount(typed)
  expect(read === undefined ? undefined : formatAmount(read)).toBe(amount)
})

test.each(['', 'XCR', '3 00', '30 00', '3000 000', '3 000 XCR XCR', '3.000,00', '-3000', '3e3', '5 USDT'])(
  '%j is no amount',
  (typed) => expect(readAmount(typed)).toBeUndefined(),
)
