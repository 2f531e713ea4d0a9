import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SECOND } from '#shared/dates.ts'
import { doubtConnection, followConnection, recordCopy, useConnection } from './connection.ts'
import { TAKEN_AT } from './offlineCopies.ts'

let stop = () => {}
let server: 'there' | 'away' | 'copied' | 'behind a proxy' = 'there'
const onBack = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  onBack.mockClear()
  vi.stubGlobal('fetch', async () => {
    if (server === 'away') throw new TypeError('Failed to fetch')
    if (server === 'behind a proxy') return new Response('<h1>Please log in to this network</h1>')
    return Response.json({}, server === 'copied' ? { headers: { [TAKEN_AT]: '2026-11-20T12:00:00Z' } } : {})
  })
  stop = followConnection(onBack)
})
afterEach(() => {
  stop()
})

const isOffline = () => useConnection.getState().isOffline

async function fireConnectionEvent(word: 'online' | 'offline') {
  window.dispatchEvent(new Event(word))
  await vi.advanceTimersByTimeAsync(0)
}

test("the browser's offline event is ignored while the server answers", async () => {
  server = 'there'
  await fireConnectionEvent('offline')
  expect(isOffline()).toBe(false)
})

test('a lost connection is noticed, probed until it is back, and then everything is refetched', async () => {
  server = 'copied'
  await fireConnectionEvent('offline')
  expect(isOffline()).toBe(true)
  // The browser's online event fired before the network worked.
  await fireConnectionEvent('online')
  expect(isOffline()).toBe(true)
  server = 'behind a proxy'
  await vi.advanceTimersByTimeAsync(5 * SECOND)
  expect(isOffline()).toBe(true)

  server = 'there'
  await vi.advanceTimersByTimeAsync(5 * SECOND)
  expect(useConnection.getState()).toEqual({ isOffline: false, isInDoubt: false, takenAt: null })
  expect(onBack).toHaveBeenCalledOnce()
})

test('an unreachable server is noticed by its copies and probed until it is back', async () => {
  server = 'away'
  recordCopy(new Date('2026-11-20T12:00:00Z'))
  await vi.advanceTimersByTimeAsync(20 * SECOND)
  expect(isOffline()).toBe(true)

  server = 'there'
  await vi.advanceTimersByTimeAsync(5 * SECOND)
  expect(isOffline()).toBe(false)
  expect(onBack).toHaveBeenCalledOnce()
})

test('a request that failed is the reason to probe: offline only if the probe fails too, and no data has a time', async () => {
  server = 'there'
  doubtConnection()
  await vi.advanceTimersByTimeAsync(0)
  expect(useConnection.getState()).toEqual(useConnection.getInitialState())

  server = 'away'
  doubtConnection()
  await vi.advanceTimersByTimeAsync(0)
  expect(useConnection.getState()).toEqual({ isOffline: true, isInDoubt: false, takenAt: null })
})

test('requests that keep failing do not postpone the probe', async () => {
  server = 'away'
  doubtConnection()
  await vi.advanceTimersByTimeAsync(0)
  server = 'there'
  for (let seconds = 0; seconds < 6; seconds += 1) {
    if (isOffline()) doubtConnection()
    await vi.advanceTimersByTimeAsync(SECOND)
  }
  expect(isOffline()).toBe(false)
})
