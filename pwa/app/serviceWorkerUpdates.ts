import type { Workbox } from 'workbox-window'
import { create } from 'zustand'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { isAnyTabBusy, isBusy } from '#pwa/lib/busy.ts'
import { toast } from '#pwa/ui/toast.ts'
import { isWalletBrowser } from '#pwa/wallet/isWalletBrowser.ts'
import { reloadOnce } from './reloadOnce.ts'

/** Set once a newer version waits. Calling it loads that version; nothing else ever reloads the page for one. */
export const useUpdate = create<{ apply: (() => Promise<void>) | null; dismiss: () => void }>()((set) => ({
  apply: null,
  dismiss: () => set({ apply: null }),
}))

/** Looking at the page again asks for a newer version, but not at every glance. */
const LEAST_TIME_BETWEEN_CHECKS = MINUTE

/** Registers the service worker of a production build, except where a wallet's own browser would break over it. */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  if (isWalletBrowser()) return removeServiceWorkers()
  // After everything the page itself needs; some wallets come into it as late as that.
  await hasLoaded()
  if (isWalletBrowser()) return removeServiceWorkers()
  window.addEventListener('ethereum#initialized', () => isWalletBrowser() && void removeServiceWorkers(), { once: true })

  const { Workbox } = await import('workbox-window')
  const workbox = new Workbox('/sw.js', { updateViaCache: 'none' })
  workbox.addEventListener('waiting', () => useUpdate.setState({ apply: () => applyUpdate(workbox) }))
  try {
    await workbox.register()
  } catch (error) {
    // Storage may be full or denied. The page works without it.
    console.info('No service worker', error)
    return
  }
  checkForUpdates(() => workbox.update())
}

/** An installed app on a phone is frozen rather than closed: it asks when it is looked at again, and every hour. */
export function checkForUpdates(check: () => Promise<void>): void {
  let lastCheck = Date.now()
  function look() {
    if (document.visibilityState !== 'visible' || Date.now() - lastCheck < LEAST_TIME_BETWEEN_CHECKS) return
    lastCheck = Date.now()
    check().catch(() => undefined)
  }
  window.addEventListener('focus', look)
  window.addEventListener('pageshow', look)
  document.addEventListener('visibilitychange', look)
  setInterval(look, HOUR)
}

/** Puts the waiting version in force and shows it, unless a payment, a code or a signature is in progress in any tab. */
export async function applyUpdate(workbox: Pick<Workbox, 'addEventListener' | 'messageSkipWaiting'>): Promise<void> {
  if (await isAnyTabBusy()) {
    toast({
      title: t('Not Yet Updated'),
      description: t('Finish what is open first, here or in another window. The new version waits.'),
    })
    return
  }
  // Between the press and the new version something may have begun: then the page stays as it is until its next load.
  workbox.addEventListener('controlling', () => !isBusy() && location.reload())
  workbox.messageSkipWaiting()
}

const hasLoaded = (): Promise<unknown> =>
  document.readyState === 'complete'
    ? Promise.resolve()
    : new Promise((resolve) => window.addEventListener('load', resolve, { once: true }))

/**
 * A wallet's browser on a phone puts its provider into the page by intercepting the request for it, and a page that a service worker
 * has answered passes it by: it is loaded once more, from the server.
 */
async function removeServiceWorkers(): Promise<void> {
  const registrations = await navigator.serviceWorker.getRegistrations()
  for (const registration of registrations) await registration.unregister()
  if (registrations.length > 0 && navigator.serviceWorker.controller) reloadOnce('without-service-worker')
}
