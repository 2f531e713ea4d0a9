import { expect, test } from 'vitest'
import { readQuantity } from './readQuantity.ts'

test.each([
  ['', 1],
  ['abc', 1],
  ['0', 1],
  ['-4', 1],
  ['0.9', 1],
  ['7', 7],
  [' 12 ', 12],
  ['2.8', 2],
  ['999999', 999_999],
])('%o is read as %o', (typed, quantity) => {
  expect(readQuantity(typed)).toBe(quantity)
})
