import { create } from 'zustand'
import { isWalletBrowser } from '#pwa/wallet/isWalletBrowser.ts'

/** Chromium's offer to install, which it makes once it finds the page worth it. The DOM library has no type for it. */
export interface InstallOffer extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>
}

/** How this browser puts the app onto the home screen. */
export type InstallWay =
  | { by: 'prompt'; offer: InstallOffer }
  /** By hand, from Safari's share menu. */
  | { by: 'share' }
  /** A wallet's browser cannot: another one has to be opened. */
  | { by: 'otherBrowser'; browser: 'Safari' | 'Chrome' }

const STORAGE_KEY = 'install_dismissed'

interface Installation {
  /** Null: it is installed, or this browser installs nothing. */
  way: InstallWay | null
  isDismissed: boolean
}

export const useInstallation = create<Installation>()(() => ({ way: null, isDismissed: wasDismissed() }))

/** Watches for a way to install. Called at start: the browser's offer is made once and early. */
export function followInstallability(): void {
  if (isInstalled()) return
  useInstallation.setState({ way: findManualWay() })
  window.addEventListener('beforeinstallprompt', (event) => {
    // The browser's own bar would cover the page's end, where the buttons are.
    event.preventDefault()
    useInstallation.setState({ way: { by: 'prompt', offer: event as InstallOffer } })
  })
  window.addEventListener('appinstalled', () => useInstallation.setState({ way: null }))
}

/** Asks as the browser does. Whoever refuses is not asked again. */
export async function install(offer: InstallOffer): Promise<void> {
  const { outcome } = await offer.prompt()
  // An offer is good for one question.
  useInstallation.setState({ way: null })
  if (outcome === 'dismissed') dismissInstallation()
}

export function dismissInstallation(): void {
  useInstallation.setState({ isDismissed: true })
  try {
    localStorage.setItem(STORAGE_KEY, 'yes')
  } catch {
    // Storage is denied: it is offered again next time.
  }
}

function findManualWay(): InstallWay | null {
  const isApple =
    /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  if (isWalletBrowser()) return { by: 'otherBrowser', browser: isApple ? 'Safari' : 'Chrome' }
  return isApple ? { by: 'share' } : null
}

const isInstalled = (): boolean =>
  ['standalone', 'minimal-ui', 'fullscreen'].some((mode) => window.matchMedia(`(display-mode: ${mode})`).matches) ||
  (navigator as { standalone?: boolean }).standalone === true

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== null
  } catch {
    return false
  }
}
