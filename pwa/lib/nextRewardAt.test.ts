import { expect, test } from 'vitest'
import { nextRewardAt } from './nextRewardAt.ts'

test.each([
  ['2026-11-20T08:59:59Z', '2026-11-20T09:00:00Z'],
  ['2026-11-20T09:00:00Z', '2026-11-21T09:00:00Z'],
  ['2026-12-31T23:00:00Z', '2027-01-01T09:00:00Z'],
])('at %s the next reward is paid at %s', (now, next) => {
  expect(nextRewardAt(new Date(now))).toEqual(new Date(next))
})
