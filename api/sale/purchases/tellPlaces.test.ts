import { beforeEach, expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { createTellPlaces } from './tellPlaces.ts'

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

/** A line of requests that the test controls. */
function openLine() {
  let waiting: { item: { userId: string }; since: number }[] = []
  const told: Record<string, number | null>[] = []
  const tell = createTellPlaces({
    listWaiting: () => waiting,
    publish: async (places) => void told.push(Object.fromEntries(places)),
  })
  return {
    told,
    ask(...userIds: string[]) {
      for (const userId of userIds) waiting.push({ item: { userId }, since: performance.now() })
      tell()
    },
    answer: (count: number) => (waiting = waiting.slice(count)),
    putFirst: (userId: string) => waiting.unshift({ item: { userId }, since: performance.now() }),
  }
}

test('who waits longer than a second is told the number of requests before it, once a second, and when it no longer waits', async () => {
  const line = openLine()
  line.ask('a', 'b', 'c')
  await vi.advanceTimersByTimeAsync(SECOND)
  line.answer(1)
  line.ask('d')
  await vi.advanceTimersByTimeAsync(SECOND)
  line.answer(2)
  await vi.advanceTimersByTimeAsync(SECOND)

  expect(line.told).toEqual([
    { a: 0, b: 1, c: 2 },
    { a: null, b: 0, c: 1, d: 2 },
    { b: null, c: null, d: 0 },
  ])
})

test('who is answered within a second is told nothing, and no timer is left', async () => {
  const line = openLine()
  line.ask('a')
  line.answer(1)
  await vi.advanceTimersByTimeAsync(5 * SECOND)

  expect(line.told).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('a place never grows, and a second request of the account does not change it', async () => {
  const line = openLine()
  line.ask('a', 'b', 'a')
  await vi.advanceTimersByTimeAsync(SECOND)
  line.putFirst('late')
  await vi.advanceTimersByTimeAsync(SECOND)

  expect(line.told[0]).toEqual({ a: 0, b: 1 })
  expect(line.told[1]).toMatchObject({ a: 0, b: 1 })
})
