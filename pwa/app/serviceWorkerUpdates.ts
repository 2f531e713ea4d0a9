import type { Workbox } from 'workbox-window'
import { create } from 'zustand'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { isAnyTabBusy, isBusy } from '#pwa/lib/busy.ts'
import { toast } from '#pwa/ui/toast.ts'
import { isWalletBrowser } from '#pwa/wallet/isWalletBrowser.ts'
import { fetchChunks } from './fetchChunks.ts'
import { reloadOnce } from './reloadOnce.ts'

/** Set once a newer version is waiting. Calling it activates that version; nothing else reloads the page for an update. */
export const useUpdate = create<{ apply: (() => Promise<void>) | null; dismiss: () => void }>()((set) => ({
  apply: null,
  dismiss: () => set({ apply: null }),
}))

/** Minimum time between update checks on focus. */
const MIN_CHECK_INTERVAL = MINUTE

/** How long a new version may take to become active: browsers wait for the requests that the old one is answering. */
const ACTIVATION_TIMEOUT = 5 * SECOND

/** Registers the service worker of a production build, except in wallet browsers, where it would hide the wallet. */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD) return
  const isSupported = 'serviceWorker' in navigator
  if (isSupported && isWalletBrowser()) await removeServiceWorkers()
  // After the page's own requests. Some wallets inject their provider this late.
  await hasLoaded()
  if (!isSupported) return fetchChunks()
  if (isWalletBrowser()) return removeServiceWorkers().then(fetchChunks)
  window.addEventListener('ethereum#initialized', () => isWalletBrowser() && void removeServiceWorkers(), { once: true })

  const { Workbox } = await import('workbox-window')
  const workbox = new Workbox('/sw.js', { updateViaCache: 'none' })
  workbox.addEventListener('waiting', () => useUpdate.setState({ apply: () => applyUpdate(workbox) }))
  try {
    await workbox.register()
  } catch (error) {
    // Storage may be full or denied. The page works without it.
    console.info('No service worker', error)
    return fetchChunks()
  }
  checkForUpdates(() => workbox.update())
}

/** Phones freeze an installed app rather than close it, so it checks when it becomes visible and every hour. */
export function checkForUpdates(check: () => Promise<void>): void {
  let lastCheck = Date.now()
  function look() {
    if (document.visibilityState !== 'visible' || Date.now() - lastCheck < MIN_CHECK_INTERVAL) return
    lastCheck = Date.now()
    check().catch(() => undefined)
  }
  window.addEventListener('focus', look)
  window.addEventListener('pageshow', look)
  document.addEventListener('visibilitychange', look)
  setInterval(look, HOUR)
}

/** Activates the waiting version and reloads, unless a payment, a code or a signature is in progress in any tab. */
export async function applyUpdate(
  workbox: Pick<Workbox, 'addEventListener' | 'messageSkipWaiting'>,
  reload = () => location.reload(),
): Promise<void> {
  if (await isAnyTabBusy()) {
    toast({
      title: t('Not Yet Updated'),
      description: t('Finish what you have open first, here or in another window. You can update after that.'),
    })
    return
  }
  // The page comes from the network, so it is the new version even if the old service worker still answers.
  const timer = setTimeout(finish, ACTIVATION_TIMEOUT)
  workbox.addEventListener('controlling', finish)
  workbox.messageSkipWaiting()

  function finish() {
    clearTimeout(timer)
    // If something has begun meanwhile, the page keeps its version until the next load.
    if (!isBusy()) reload()
  }
}

const hasLoaded = (): Promise<unknown> =>
  document.readyState === 'complete'
    ? Promise.resolve()
    : new Promise((resolve) => window.addEventListener('load', resolve, { once: true }))

/**
 * A phone wallet's browser injects its provider by intercepting the page request, which fails if a service worker answers it. So
 * the workers are removed and the page is loaded again from the server.
 */
async function removeServiceWorkers(): Promise<void> {
  // Denied together with storage: then there are none.
  const registrations = await navigator.serviceWorker.getRegistrations().catch(() => [])
  for (const registration of registrations) await registration.unregister()
  if (registrations.length > 0 && navigator.serviceWorker.controller) reloadOnce('without-service-worker')
}
