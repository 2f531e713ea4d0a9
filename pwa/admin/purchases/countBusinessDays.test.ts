import { expect, test } from 'vitest'
import { addBusinessDays, REVIEW_BUSINESS_DAYS } from '#shared/businessDays.ts'
import { DAY } from '#shared/dates.ts'
import { countBusinessDays } from './countBusinessDays.ts'

const monday = new Date('2026-11-16T15:00:00Z')

test.each([0, 1, 2, 3, 4, 5, 6])('what is promised %i days after a Monday has all its days left', (days) => {
  const seenAt = new Date(monday.getTime() + days * DAY)
  expect(countBusinessDays(seenAt, addBusinessDays(seenAt, REVIEW_BUSINESS_DAYS))).toBe(5)
})

test('a weekend takes no day away', () => {
  expect(countBusinessDays(new Date('2026-11-20T23:59:00Z'), new Date('2026-11-23T00:00:00Z'))).toBe(1)
  expect(countBusinessDays(new Date('2026-11-21T00:00:00Z'), new Date('2026-11-22T23:59:00Z'))).toBe(0)
})

test('what is over counts below zero, and on its own day not at all', () => {
  expect(countBusinessDays(new Date('2026-11-16T16:00:00Z'), monday)).toBe(0)
  expect(countBusinessDays(new Date('2026-11-24T00:00:00Z'), new Date('2026-11-20T00:00:00Z'))).toBe(-2)
})
