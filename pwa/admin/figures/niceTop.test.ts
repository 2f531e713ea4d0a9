import { expect, test } from 'vitest'
import { niceTop } from './niceTop.ts'

test.for([
  [0n, 0n],
  [1n, 1n],
  [3n, 5n],
  [6n, 10n],
  [10n, 10n],
  [11n, 20n],
  [330_250_000_000_000_000_000n, 500_000_000_000_000_000_000n],
] as const)('an axis for %s ends at %s', ([value, end]) => {
  expect(niceTop(value)).toBe(end)
})
