import { expect, test } from 'vitest'
import { maturityOf } from './maturityOf.ts'

test.each([
  ['2026-11-20T23:59:59.000Z', '2031-11-20T23:59:59.000Z'],
  ['2026-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'],
  ['2028-02-29T12:00:00.000Z', '2033-02-28T12:00:00.000Z'],
])('vesting that starts at %s matures at %s', (start, maturity) => {
  expect(maturityOf(new Date(start)).toISOString()).toBe(maturity)
})
