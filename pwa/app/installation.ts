import { create } from 'zustand'
import { readStored, store } from '#pwa/lib/deviceStorage.ts'
import { isAppleMobile } from '#pwa/lib/isAppleMobile.ts'
import { isWalletBrowser } from '#pwa/wallet/isWalletBrowser.ts'

/** Chromium's beforeinstallprompt event. The DOM library has no type for it. */
export interface InstallOffer extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>
}

/** The ways to install the app. */
export type InstallWay =
  | { by: 'prompt'; offer: InstallOffer }
  /** Manually, from Safari's share menu. */
  | { by: 'share' }
  /** In-app wallet browsers cannot install: another browser must be opened. */
  | { by: 'otherBrowser'; browser: 'Safari' | 'Chrome' }

const STORAGE_KEY = 'install_dismissed'

interface Installation {
  /** Null: already installed, or unsupported. */
  way: InstallWay | null
  isDismissed: boolean
}

export const useInstallation = create<Installation>()(() => ({ way: null, isDismissed: readStored(STORAGE_KEY) !== null }))

/** Listens for install prompts. Called at start, because the event fires once and early. */
export function followInstallability(): void {
  if (isInstalled()) return
  useInstallation.setState({ way: findManualWay() })
  window.addEventListener('beforeinstallprompt', (event) => {
    // The browser's own banner would cover the buttons at the end of the page.
    event.preventDefault()
    useInstallation.setState({ way: { by: 'prompt', offer: event as InstallOffer } })
  })
  window.addEventListener('appinstalled', () => useInstallation.setState({ way: null }))
}

/** Shows the browser's install prompt. After a refusal it is not shown again. */
export async function install(offer: InstallOffer): Promise<void> {
  const { outcome } = await offer.prompt()
  // The event can be used once.
  useInstallation.setState({ way: null })
  if (outcome === 'dismissed') dismissInstallation()
}

export function dismissInstallation(): void {
  useInstallation.setState({ isDismissed: true })
  store(STORAGE_KEY, 'yes')
}

function findManualWay(): InstallWay | null {
  const isApple = isAppleMobile()
  if (isWalletBrowser()) return { by: 'otherBrowser', browser: isApple ? 'Safari' : 'Chrome' }
  return isApple ? { by: 'share' } : null
}

const isInstalled = (): boolean =>
  ['standalone', 'minimal-ui', 'fullscreen'].some((mode) => window.matchMedia(`(display-mode: ${mode})`).matches) ||
  (navigator as { standalone?: boolean }).standalone === true
