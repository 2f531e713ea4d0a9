import { expect, test } from 'vitest'
import { formatRanges } from './formatRanges.ts'

test('numbers keep their order, and consecutive ones become a range', () => {
  expect(formatRanges([1, 2, 3, 4, 7, 6, 8, 9])).toBe('1-4,7,6,8-9')
  expect(formatRanges([5])).toBe('5')
  expect(formatRanges([])).toBe('')
})
