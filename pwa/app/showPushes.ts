import { SECOND } from '#shared/dates.ts'

/** Asks an open page to show the page of a clicked notification. */
export interface OpenPage {
  type: 'OPEN'
  path: string
}

/** The parts of the service worker's scope in use; the DOM library has no types for them. */
export interface PushScope extends EventTarget {
  registration: Pick<ServiceWorkerRegistration, 'showNotification' | 'pushManager'>
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly OpenWindow[]>
    openWindow(url: string): Promise<unknown>
  }
  navigator: { setAppBadge?: (count: number) => Promise<void> }
  location: { origin: string; host: string }
  fetch: typeof fetch
}

interface OpenWindow {
  focus(): Promise<unknown>
  postMessage(message: OpenPage): void
}

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

type PushEvent = WorkerEvent & { data: { json(): unknown } | null }
type ClickEvent = WorkerEvent & { notification: Pick<Notification, 'close' | 'data'> }
type ChangeEvent = WorkerEvent & { oldSubscription?: PushSubscription | null; newSubscription?: PushSubscription | null }

interface ReadMessage {
  title: string
  body: string | undefined
  lang: string | undefined
  navigate: string | undefined
  tag: string | undefined
  badge: number | undefined
}

/**
 * Shows push messages in the format of Declarative Web Push, which Safari shows by itself. Every message shows a notification: browsers
 * withdraw the permission of a site that shows none.
 */
export function showPushes(scope: PushScope): void {
  const on = <E extends WorkerEvent>(name: string, work: (event: E) => Promise<unknown>) =>
    scope.addEventListener(name, (event) => (event as E).waitUntil(work(event as E)))
  on<PushEvent>('push', ({ data }) => show(scope, data))
  on<ClickEvent>('notificationclick', ({ notification }) => open(scope, notification))
  on<ChangeEvent>('pushsubscriptionchange', (event) => renew(scope, event))
}

async function show(scope: PushScope, data: PushEvent['data']): Promise<void> {
  const { registration, navigator } = scope
  const { title, badge, navigate, ...options } = readMessage(data) ?? { ...unreadable, title: await readAppName(scope) }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  await registration.showNotification(title, { ...given, icon: '/icon-192.png', data: { navigate } })
  if (badge !== undefined) await navigator.setAppBadge?.(badge).catch(() => undefined)
}

/** Focuses a window of the app and opens the page there, or in a new one. */
async function open({ clients, location }: PushScope, notification: ClickEvent['notification']): Promise<void> {
  notification.close()
  const { navigate = '/inbox' } = (notification.data ?? {}) as { navigate?: string }
  const path = readPath(navigate, location.origin)
  const [window] = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!window) return void (await clients.openWindow(path))
  await window.focus()
  window.postMessage({ type: 'OPEN', path })
}

/** The page to open, never one of another site. Without `URL.parse`, which Safari has since version 18 and Chrome since 126. */
function readPath(navigate: string, origin: string): string {
  try {
    const url = new URL(navigate, origin)
    if (url.origin === origin) return url.pathname + url.search
  } catch {
    // No address.
  }
  return '/inbox'
}

/** The browser replaced its subscription. If the session has ended, the server refuses the new one. */
async function renew({ registration, fetch }: PushScope, { oldSubscription, newSubscription }: ChangeEvent): Promise<void> {
  const options = oldSubscription?.options
  const renewed =
    newSubscription ?? (options && (await registration.pushManager.subscribe(options as PushSubscriptionOptionsInit)))
  if (!renewed) return
  const { endpoint, keys } = renewed.toJSON()
  await fetch('/api/push/subscription', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint, p256dh: keys?.p256dh, auth: keys?.auth }),
  })
}

function readMessage(data: PushEvent['data']): ReadMessage | undefined {
  try {
    if (!data) return undefined
    const { notification, app_badge } = data.json() as { notification: Record<string, unknown>; app_badge: unknown }
    const text = (name: string) => (typeof notification[name] === 'string' ? notification[name] : undefined)
    const title = text('title')
    if (!title) return undefined
    const badge = typeof app_badge === 'number' ? app_badge : undefined
    return { title, body: text('body'), lang: text('lang'), navigate: text('navigate'), tag: text('tag'), badge }
  } catch {
    return undefined
  }
}

/** The worker knows no language, so its title is only the name of the app. */
const unreadable: Omit<ReadMessage, 'title'> = {
  body: undefined,
  lang: undefined,
  navigate: '/inbox',
  tag: 'unreadable',
  badge: undefined,
}

/** How long a notification waits for the name. */
const NAME_TIMEOUT = 5 * SECOND

/** The name of the installation, which the server writes into the manifest; without an answer the site's. */
async function readAppName({ fetch, location }: PushScope): Promise<string> {
  try {
    const manifest = await fetch('/manifest.webmanifest', { signal: AbortSignal.timeout(NAME_TIMEOUT) })
    const { name } = (await manifest.json()) as { name: unknown }
    if (typeof name === 'string' && name !== '') return name
  } catch {
    // Offline, or a proxy has answered.
  }
  return location.host
}
