import { vi } from 'vitest'

interface PushOptions {
  permission?: NotificationPermission
  /** What the person answers when asked. */
  answer?: NotificationPermission
}

const bytesOf = (text: string): ArrayBuffer =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.codePointAt(0)!).buffer

/** Gives jsdom a service worker with push messages. */
export function fakePush({ permission = 'default', answer = 'granted' }: PushOptions = {}) {
  const fake = {
    permission,
    asked: 0,
    /** The key of the subscription that the browser holds. */
    heldKey: undefined as string | undefined,
    subscribed: 0,
    lose: () => (fake.heldKey = undefined),
    /** The notifications that are shown. */
    shown: [] as string[],
  }
  const subscription = (key: string) => ({
    options: { applicationServerKey: bytesOf(key) },
    toJSON: () => ({
      endpoint: `https://push.example.com/${fake.subscribed}`,
      keys: { p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) },
    }),
    unsubscribe: async () => {
      fake.heldKey = undefined
      return true
    },
  })
  const pushManager = {
    getSubscription: async () => (fake.heldKey ? subscription(fake.heldKey) : null),
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      fake.heldKey = applicationServerKey
      fake.subscribed += 1
      return subscription(applicationServerKey)
    },
  }
  const registration = {
    pushManager,
    getNotifications: async () =>
      fake.shown.map((title) => ({ close: () => void fake.shown.splice(fake.shown.indexOf(title), 1) })),
  }
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', {
    get permission() {
      return fake.permission
    },
    requestPermission: async () => {
      fake.asked += 1
      return (fake.permission = answer)
    },
  })
  const worker = { ready: Promise.resolve(registration), getRegistration: async () => registration }
  // Deleted by the next test's page: jsdom has none.
  Object.defineProperty(navigator, 'serviceWorker', { value: worker, configurable: true })
  return fake
}

/** Takes the service worker away again. */
export const removeFakePush = (): boolean => Reflect.deleteProperty(navigator, 'serviceWorker')
