import { expect, test } from 'vitest'
import { drawBars } from './drawBars.ts'

const area = { whole: 100n, width: 30, height: 100, baseline: 100, direction: -1 as const }

test('a bar is proportional to its value, and a zero has none', () => {
  expect(drawBars([100n, 0n, 25n], area)).toBe('M1.4 100v-100h7.2V100ZM21.4 100v-25h7.2V100Z')
})

test('a value above zero is always visible', () => {
  expect(drawBars([1n], { ...area, whole: 10n ** 30n })).toContain('v-2h')
})

test('amounts beyond the range of numbers are drawn in proportion', () => {
  const most = 20_000_000n * 10n ** 18n
  expect(drawBars([most / 4n], { ...area, whole: most })).toContain('v-25h')
})

test('outflows grow downward', () => {
  expect(drawBars([50n], { ...area, baseline: 40, direction: 1 })).toContain(' 40v50h')
})
