import { afterEach, expect, test } from 'vitest'
import { beginOfDay, chooseZone, dayAfter, formatSecond, formatTime } from './officeZone.ts'

test.for([
  ['2026-11-20', 'UTC', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20', 'Asia/Seoul', '2026-11-19T15:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2026-11-20', 'America/New_York', '2026-11-20T05:00:00.000Z'],
  ['2026-11-20', 'Asia/Kolkata', '2026-11-19T18:30:00.000Z'],
] as const)('%s in %s begins at %s', ([day, zone, begin]) => {
  expect(beginOfDay(day, zone).toISOString()).toBe(begin)
})

test('the day after the last of a month is the first of the next', () => {
  expect(dayAfter('2026-12-31')).toBe('2027-01-01')
})

afterEach(() => chooseZone('lists'))

test('a time that stands alone names its zone: UTC, or the chosen one', () => {
  const at = new Date('2026-11-20T22:31:04Z')
  expect([formatTime(at), formatSecond(at)]).toEqual(['20 Nov 2026, 22:31 UTC', '20 Nov 2026, 22:31:04 UTC'])
  chooseZone('seoul')
  expect([formatTime(at), formatSecond(at)]).toEqual(['21 Nov 2026, 07:31 Seoul', '21 Nov 2026, 07:31:04 Seoul'])
})
