import { expect, test } from 'vitest'
import { windowAroundSale, windowOf } from './fieldWindow.ts'

test.each([
  { sold: 0, first: 1 },
  { sold: 400, first: 1 },
  { sold: 699, first: 1 },
  { sold: 700, first: 101 },
  { sold: 10_012, first: 9_401 },
  { sold: 20_000, first: 19_001 },
])('with $sold of 20,000 sold the window of a visitor begins with number $first', ({ sold, first }) => {
  expect(windowAroundSale(sold, 20_000)).toBe(first)
})

test('a supply smaller than a window is shown from its first number', () => {
  expect(windowAroundSale(300, 500)).toBe(1)
})

test('each node is in exactly one window', () => {
  expect([1, 1_000, 1_001, 20_000].map(windowOf)).toEqual([1, 1, 1_001, 19_001])
})
