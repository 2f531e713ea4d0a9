import { QueryClient } from '@tanstack/react-query'
import { beforeEach, expect, test, vi } from 'vitest'
import { followLiveUpdates } from './liveUpdates.ts'

/** A fake EventSource that the test controls. */
class FakeStream {
  static readonly CLOSED = 2
  static opened: FakeStream[] = []
  readyState = 1
  onopen?: () => void
  onmessage?: (message: { data: string }) => void
  onerror?: () => void
  close = vi.fn()

  constructor() {
    FakeStream.opened.push(this)
  }
}

function setUp() {
  const queryClient = new QueryClient()
  const invalidated: unknown[] = []
  vi.spyOn(queryClient, 'invalidateQueries').mockImplementation(async (filters) => {
    invalidated.push(filters?.queryKey)
  })
  const stop = followLiveUpdates(queryClient)
  return { stop, stream: FakeStream.opened[0]!, invalidated, queryClient }
}

beforeEach(() => {
  FakeStream.opened = []
  vi.stubGlobal('EventSource', FakeStream)
})

test('only the queries that the server names are refetched', () => {
  const { stream, invalidated } = setUp()

  stream.onmessage?.({ data: JSON.stringify({ keys: ['/api/stats/nodes', '/api/node-purchases'] }) })
  expect(invalidated).toEqual([['/api/stats/nodes'], ['/api/node-purchases']])

  stream.onmessage?.({ data: 'of another version' })
  expect(invalidated).toHaveLength(2)
})

test('figures of the sale in a message are used, also while an older request is under way', async () => {
  const { stream, invalidated, queryClient } = setUp()
  const stats = (totalSold: number) => ({ total: 10, totalSold, remaining: 10 - totalSold, progress: totalSold * 10 })
  const asked = Promise.withResolvers<ReturnType<typeof stats>>()
  const queryKey = ['/api/stats/nodes']
  queryClient.setQueryData(queryKey, stats(1))
  void queryClient.fetchQuery({ queryKey, queryFn: () => asked.promise })

  stream.onmessage?.({ data: JSON.stringify({ keys: ['/api/stats/nodes', '/api/system-settings'], nodeStats: stats(3) }) })
  asked.resolve(stats(2))
  await asked.promise

  await expect.poll(() => queryClient.getQueryData(queryKey)).toEqual(stats(3))
  expect(invalidated).toEqual([['/api/system-settings']])
})

test('money, settings and the authenticator are refetched each time the stream opens', () => {
  const { stream, invalidated } = setUp()

  stream.onopen?.()
  stream.onopen?.()

  const money = [
    '/api/auth/user',
    '/api/node-purchases',
    '/api/xcr-distribution-logs',
    '/api/xcr-withdrawals',
    '/api/xcr-withdrawals/limit',
    '/api/user/nodes',
    '/api/node-purchase/reservation',
    '/api/inbox',
    '/api/inbox/unread',
    '/api/payments',
  ]
  // A price or the start of the sale may have been changed meanwhile as well.
  const settings = ['/api/system-settings', '/api/settings/nodes', '/api/config', '/api/auth/otp/status']
  const all = [...money, ...settings]
  expect(invalidated).toEqual([...all, ...all].map((path) => [path]))
})

test('all pages of the inbox are refetched when the stream opens, since a missed message moves each of them', () => {
  const queryClient = new QueryClient()
  const pages = [['/api/inbox'], ['/api/inbox', 30], ['/api/inbox', 60]]
  for (const queryKey of pages) queryClient.setQueryData(queryKey, { messages: [], total: 61 })
  followLiveUpdates(queryClient)

  FakeStream.opened[0]!.onopen?.()
  expect(pages.map((queryKey) => queryClient.getQueryState(queryKey)?.isInvalidated)).toEqual([true, true, true])
})

test('the figures with which the stream opens are used and not requested', async () => {
  const { stream, invalidated, queryClient } = setUp()
  const nodeStats = { total: 10, totalSold: 4, remaining: 6, progress: 40 }

  stream.onopen?.()
  const asked = invalidated.length
  stream.onmessage?.({ data: JSON.stringify({ keys: [], nodeStats }) })

  await expect.poll(() => queryClient.getQueryData(['/api/stats/nodes'])).toEqual(nodeStats)
  expect(invalidated).toHaveLength(asked)
  expect(invalidated).not.toContainEqual(['/api/stats/nodes'])
})

test('a refused stream is reopened later, a broken one is left to the browser', () => {
  vi.useFakeTimers()
  const { stream, stop } = setUp()

  stream.onerror?.()
  vi.advanceTimersByTime(60_000)
  expect(FakeStream.opened).toHaveLength(1)

  stream.readyState = FakeStream.CLOSED
  stream.onerror?.()
  vi.advanceTimersByTime(5_000)
  expect(FakeStream.opened).toHaveLength(2)

  stop()
  expect(FakeStream.opened[1]!.close).toHaveBeenCalled()
})
