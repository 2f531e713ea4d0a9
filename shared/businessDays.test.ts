import { expect, test } from 'vitest'
import { addBusinessDays } from './businessDays.ts'

test('weekends do not count, and the time of day stays', () => {
  const due = (at: string) => addBusinessDays(new Date(at), 5).toISOString()
  // A Wednesday, a Friday, and both days of a weekend.
  expect(due('2026-11-18T10:30:00.000Z')).toBe('2026-11-25T10:30:00.000Z')
  expect(due('2026-11-20T23:59:59.999Z')).toBe('2026-11-27T23:59:59.999Z')
  expect(due('2026-11-21T00:00:00.000Z')).toBe('2026-11-27T00:00:00.000Z')
  expect(due('2026-11-22T12:00:00.000Z')).toBe('2026-11-27T12:00:00.000Z')
})
