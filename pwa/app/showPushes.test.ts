import { expect, test, vi } from 'vitest'
import { type PushScope, showPushes } from './showPushes.ts'

const ORIGIN = 'https://nodes.example.com'

function openWorker({ windows = 0, manifest }: { windows?: number; manifest?: string } = {}) {
  const calls: unknown[][] = []
  const record =
    (name: string, result?: unknown) =>
    async (...given: unknown[]) => {
      calls.push([name, ...given])
      return result as never
    }
  const open = Array.from({ length: windows }, (_, index) => ({
    focus: record(`focus ${index}`),
    postMessage: (message: unknown) => void calls.push(['post', message]),
  }))
  const subscription = { toJSON: () => ({ endpoint: 'https://push.example.com/2', keys: { p256dh: 'p', auth: 'a' } }) }
  const scope = Object.assign(new EventTarget(), {
    registration: { showNotification: record('show'), pushManager: { subscribe: record('subscribe', subscription) } },
    clients: { matchAll: async () => open, openWindow: record('open') },
    navigator: { setAppBadge: record('badge') },
    location: { origin: ORIGIN, host: 'nodes.example.com' },
    fetch: record('fetch', manifest && new Response(manifest)),
  }) as unknown as PushScope
  showPushes(scope)
  const dispatch = async (name: string, parts: object) => {
    const work: Promise<unknown>[] = []
    const event = Object.assign(new Event(name), parts, { waitUntil: (one: Promise<unknown>) => work.push(one) })
    scope.dispatchEvent(event)
    expect(work, 'the worker is kept alive').toHaveLength(1)
    await Promise.all(work)
    return calls
  }
  return { dispatch, subscription }
}

const message = {
  web_push: 8030,
  app_badge: 3,
  notification: { title: 'Your withdrawal was sent', lang: 'en', navigate: `${ORIGIN}/history`, tag: 'a', app_badge: '3' },
}

test('a message is shown with its tag and page, and the badge is the number of unread messages', async () => {
  const { dispatch } = openWorker()
  expect(await dispatch('push', { data: { json: () => message } })).toEqual([
    [
      'show',
      'Your withdrawal was sent',
      { lang: 'en', tag: 'a', icon: '/icon-192.png', data: { navigate: `${ORIGIN}/history` } },
    ],
    ['badge', 3],
  ])
})

const unreadable = [
  null,
  { json: () => JSON.parse('{') as unknown },
  { json: () => null },
  { json: () => ({ notification: {} }) },
  { json: () => ({ notification: { title: 7 } }) },
]
test.each(unreadable)('a message that cannot be read shows a notification all the same (%#)', async (data) => {
  const calls = await openWorker({ manifest: '{"name":"Acme"}' }).dispatch('push', { data })
  expect(calls.at(-1)?.slice(0, 2)).toEqual(['show', 'Acme'])
})

test.each([undefined, '<p>A proxy.</p>', '{}'])('without the name of the app it has that of the site (%s)', async (manifest) => {
  const calls = await openWorker({ ...(manifest && { manifest }) }).dispatch('push', { data: null })
  expect(calls.at(-1)?.slice(0, 2)).toEqual(['show', 'nodes.example.com'])
})

const click = (navigate: string | undefined) => ({ notification: { close: vi.fn(), data: { navigate } } })

test('a click focuses an open window and asks it to show the page, and opens a window if there is none', async () => {
  const event = click(`${ORIGIN}/history?page=2`)
  expect(await openWorker({ windows: 2 }).dispatch('notificationclick', event)).toEqual([
    ['focus 0'],
    ['post', { type: 'OPEN', path: '/history?page=2' }],
  ])
  expect(event.notification.close).toHaveBeenCalledOnce()
  expect(await openWorker().dispatch('notificationclick', event)).toEqual([['open', '/history?page=2']])
})

test.each(['https://evil.example/history', 'javascript:alert(1)', '//evil.example', 'http://[', undefined])(
  'a click never leaves the site (%s)',
  async (navigate) => {
    const [opened] = await openWorker().dispatch('notificationclick', click(navigate))
    expect(opened).toEqual(['open', '/inbox'])
  },
)

test('a click also opens its page in a browser without URL.parse', async () => {
  vi.spyOn(URL, 'parse').mockImplementation(() => {
    throw new TypeError('URL.parse is not a function')
  })
  expect(await openWorker().dispatch('notificationclick', click(`${ORIGIN}/history`))).toEqual([['open', '/history']])
})

test('a subscription that the browser replaces is stored at once', async () => {
  const stored = [
    'fetch',
    '/api/push/subscription',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"endpoint":"https://push.example.com/2","p256dh":"p","auth":"a"}',
    },
  ]
  const { dispatch, subscription } = openWorker()
  expect(await dispatch('pushsubscriptionchange', { newSubscription: subscription })).toEqual([stored])
  const options = { userVisibleOnly: true }
  const renewed = await openWorker().dispatch('pushsubscriptionchange', { oldSubscription: { options } })
  expect(renewed).toEqual([['subscribe', options], stored])
  expect(await openWorker().dispatch('pushsubscriptionchange', { oldSubscription: null })).toEqual([])
})
