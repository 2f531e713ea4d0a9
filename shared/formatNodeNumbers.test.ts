import { expect, test } from 'vitest'
import { formatNodeNumbers } from './formatNodeNumbers.ts'

test.each([
  [[7], '7'],
  [[1042, 1043, 1044], '1042–1044'],
  [[12, 3, 1, 2, 20, 21], '1–3, 12, 20–21'],
])('%o is written as %s', (numbers, text) => {
  expect(formatNodeNumbers(numbers)).toBe(text)
})

test('each number is written in the given format', () => {
  expect(formatNodeNumbers([1042, 1043], (number) => number.toLocaleString('en-US'))).toBe('1,042–1,043')
})
