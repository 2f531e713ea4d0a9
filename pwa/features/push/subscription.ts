import { deletePushSubscription, savePushSubscription } from '#shared/contract/push.ts'
import { api } from '#pwa/lib/api.ts'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'
import { isAppleMobile } from '#pwa/lib/isAppleMobile.ts'
import { isWalletBrowser } from '#pwa/wallet/isWalletBrowser.ts'

/** Whether this browser shows push messages for the account. `uninstalled`: on an iPhone only the installed app can. */
export type PushState =
  | { kind: 'unsupported' | 'uninstalled' | 'blocked' | 'off' }
  /** Whether amounts are shown. */
  | { kind: 'on'; showsDetails: boolean }

interface Account {
  userId: string
  /** The installation's key for subscriptions. */
  pushKey: string
}

/** The account that has switched push messages on here. It subscribes again if the browser has lost the subscription; others don't get it. */
const STORAGE_KEY = 'push_of'

/** Milliseconds for the service worker, which the page registers once it has loaded. */
const WORKER_TIMEOUT = 20_000

/**
 * The state of this browser. A subscription of the account is confirmed at the server, and renewed if it was lost or belongs to an
 * older key. One that another account has left is deleted.
 */
export async function syncPush({ userId, pushKey }: Account): Promise<PushState> {
  if (!('serviceWorker' in navigator) || isWalletBrowser()) return { kind: 'unsupported' }
  if (!('PushManager' in window && 'Notification' in window)) return { kind: isAppleMobile() ? 'uninstalled' : 'unsupported' }
  if (Notification.permission === 'denied') return { kind: 'blocked' }
  if (Notification.permission !== 'granted') return { kind: 'off' }
  const pushManager = await readPushManager()
  const held = await pushManager.getSubscription()
  const isOwn = readStored(STORAGE_KEY) === userId
  if (held && isOwn && keyOf(held) === pushKey) return save(held, userId)
  await held?.unsubscribe()
  return isOwn ? save(await subscribe(pushManager, pushKey), userId) : { kind: 'off' }
}

/** Asks for the permission and subscribes. Only a tap may call it. */
export async function turnOnPush({ userId, pushKey }: Account): Promise<PushState> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return { kind: permission === 'denied' ? 'blocked' : 'off' }
  const pushManager = await readPushManager()
  const held = await pushManager.getSubscription()
  if (held && keyOf(held) !== pushKey) await held.unsubscribe()
  return save(await subscribe(pushManager, pushKey), userId)
}

/** Changes whether notifications on this device show amounts. */
export async function showDetails(userId: string, showsDetails: boolean): Promise<PushState> {
  const held = await (await readPushManager()).getSubscription()
  return held ? save(held, userId, showsDetails) : { kind: 'off' }
}

export async function turnOffPush(): Promise<PushState> {
  await api(deletePushSubscription, {})
  await forgetPush()
  return { kind: 'off' }
}

/** Deletes the subscription in this browser, and what it still shows. The logout deletes it at the server. */
export async function forgetPush(): Promise<void> {
  store(STORAGE_KEY, null)
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close()
}

/** @throws if there is no service worker, as in development or with full storage. */
async function readPushManager(): Promise<PushManager> {
  const timeout = new Promise<never>((_resolve, reject) =>
    setTimeout(() => reject(new Error('There is no service worker.')), WORKER_TIMEOUT),
  )
  return (await Promise.race([navigator.serviceWorker.ready, timeout])).pushManager
}

const subscribe = (pushManager: PushManager, applicationServerKey: string): Promise<PushSubscription> =>
  pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })

async function save(subscription: PushSubscription, userId: string, showsDetails?: boolean): Promise<PushState> {
  const { endpoint, keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  const saved = await api(savePushSubscription, {
    body: { endpoint: endpoint ?? '', p256dh, auth, ...(showsDetails !== undefined && { showsDetails }) },
  })
  store(STORAGE_KEY, userId)
  return { kind: 'on', ...saved }
}

/** The key that a subscription is bound to, base64url. */
function keyOf({ options: { applicationServerKey } }: PushSubscription): string {
  const bytes = String.fromCharCode(...new Uint8Array(applicationServerKey ?? new ArrayBuffer()))
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
