import { expect, test, vi } from 'vitest'
import { version } from 'uuid'
import { HOUR } from '#shared/dates.ts'
import { newId, newIdAfter, newShownId, timeOfId } from './newId.ts'

test('ids are current UUIDv7s, unique, and sort in the order of creation', () => {
  const before = Date.now()

  const ids = Array.from({ length: 10_000 }, newId)

  expect(new Set(ids.map((id) => version(id)))).toEqual(new Set([7]))
  expect(new Set(ids).size).toBe(10_000)
  expect(ids.toSorted()).toEqual(ids)
  const time = timeOfId(ids[0]!).getTime()
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThanOrEqual(Date.now())
})

test('once a clock that was ahead is set right, ids are of the present again', () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + HOUR)
  newId()
  clock.mockRestore()

  expect(timeOfId(newId()).getTime()).toBeLessThanOrEqual(Date.now())
})

test('an id after another one is of a later time, also than one from a machine whose clock is ahead', () => {
  const own = newId()
  const ahead = '6fffffff-ffff-7fff-bfff-ffffffffffff'
  const [next, later] = [newIdAfter(own), newIdAfter(ahead)]
  expect([own, next, ahead, later].toSorted()).toEqual([own, next, ahead, later])
  expect(timeOfId(next) > timeOfId(own)).toBe(true)
  expect(timeOfId(later).getTime() - timeOfId(ahead).getTime()).toBe(1)
  expect([next, later].map((id) => version(id))).toEqual([7, 7])
})

test('displayed ids differ in their first eight characters', () => {
  const ids = Array.from({ length: 1_000 }, newShownId)
  expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBeGreaterThan(990)
  expect(ids.every((id) => id[14] === '4')).toBe(true)
})
