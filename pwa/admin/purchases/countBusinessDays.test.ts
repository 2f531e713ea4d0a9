import { expect, test } from 'vitest'
import { addBusinessDays, REVIEW_BUSINESS_DAYS } from '#shared/businessDays.ts'
import { DAY } from '#shared/dates.ts'
import { countBusinessDays } from './countBusinessDays.ts'

const monday = new Date('2026-11-16T15:00:00Z')

test.each([0, 1, 2, 3, 4, 5, 6])('a deposit from %i days after a Monday has all its business days left', (days) => {
  const seenAt = new Date(monday.getTime() + days * DAY)
  expect(countBusinessDays(seenAt, addBusinessDays(seenAt, REVIEW_BUSINESS_DAYS))).toBe(5)
})

test('a weekend does not count', () => {
  expect(countBusinessDays(new Date('2026-11-20T23:59:00Z'), new Date('2026-11-23T00:00:00Z'))).toBe(1)
  expect(countBusinessDays(new Date('2026-11-21T00:00:00Z'), new Date('2026-11-22T23:59:00Z'))).toBe(0)
})

test('an overdue day counts below zero, and the due day itself as zero', () => {
  expect(countBusinessDays(new Date('2026-11-16T16:00:00Z'), monday)).toBe(0)
  expect(countBusinessDays(new Date('2026-11-24T00:00:00Z'), new Date('2026-11-20T00:00:00Z'))).toBe(-2)
})
