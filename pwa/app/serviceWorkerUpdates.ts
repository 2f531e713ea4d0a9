import type { Workbox } from 'workbox-window'
import { create } from 'zustand'
import { HOUR } from '#shared/dates.ts'
import { isCopyMessage } from '#pwa/lib/offlineCopies.ts'
import { noteCopy } from '#pwa/lib/copyDates.ts'

/** Set once a newer version waits. Calling it loads that version; nothing else ever reloads the page. */
export const useUpdate = create<{ apply: (() => void) | null; dismiss: () => void }>()((set) => ({
  apply: null,
  dismiss: () => set({ apply: null }),
}))

/** Registers the service worker of a production build, except where a wallet's own browser would break over it. */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  if (isWalletBrowser()) return void removeServiceWorkers()

  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (isCopyMessage(data)) noteCopy(data)
  })

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
  // An installed app on a phone is frozen rather than closed: it asks when it is looked at again.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void workbox.update().catch(() => undefined)
  })
  setInterval(() => void workbox.update().catch(() => undefined), HOUR)
}

function applyUpdate(workbox: Workbox): void {
  workbox.addEventListener('controlling', () => location.reload())
  workbox.messageSkipWaiting()
}

/**
 * A wallet's browser on a phone puts its provider into the page by intercepting the request for it,
 * and a page that a service worker answers passes it by.
 */
function isWalletBrowser(): boolean {
  const isPhone = /Android|iPhone|iPad/i.test(navigator.userAgent)
  const namesWallet = /MetaMask|Trust|imToken|TokenPocket|CoinbaseWallet|OKApp|OKEx|BitKeep|Bitget|SafePal|Phantom|Rabby/i.test(
    navigator.userAgent,
  )
  return namesWallet || (isPhone && 'ethereum' in window)
}

async function removeServiceWorkers(): Promise<void> {
  for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister()
}
