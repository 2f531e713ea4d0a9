import { expect, test } from 'vitest'
import { version } from 'uuid'
import { newId, newShownId } from './newId.ts'

test('ids are current UUIDv7s, unique, and sort in the order of creation', () => {
  const before = Date.now()

  const ids = Array.from({ length: 10_000 }, newId)

  expect(new Set(ids.map((id) => version(id)))).toEqual(new Set([7]))
  expect(new Set(ids).size).toBe(10_000)
  expect(ids.toSorted()).toEqual(ids)
  const time = Number.parseInt(ids[0]!.replaceAll('-', '').slice(0, 12), 16)
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThanOrEqual(Date.now())
})

test('displayed ids differ in their first eight characters', () => {
  const ids = Array.from({ length: 1_000 }, newShownId)
  expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBeGreaterThan(990)
  expect(ids.every((id) => id[14] === '4')).toBe(true)
})
