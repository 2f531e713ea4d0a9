import { expect, test } from 'vitest'
import { formatNodeNumbers } from './formatNodeNumbers.ts'

test.each([
  [[7], '7'],
  [[1042, 1043, 1044], '1,042–1,044'],
  [[12, 3, 1, 2, 20, 21], '1–3, 12, 20–21'],
])('%o is written as %s', (numbers, text) => {
  expect(formatNodeNumbers(numbers)).toBe(text)
})
