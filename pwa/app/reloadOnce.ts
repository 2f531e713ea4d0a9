import { isBusy } from '#pwa/lib/busy.ts'
import { doubtConnection, reachServer } from '#pwa/lib/connection.ts'

const STORAGE_PREFIX = 'reloaded-for:'

/** Reloads the page, but never twice for the same reason, and not during a payment, a code or a signature. */
export function reloadOnce(reason: string, reload = () => location.reload()): boolean {
  if (isBusy()) return false
  try {
    if (sessionStorage.getItem(STORAGE_PREFIX + reason)) return false
    sessionStorage.setItem(STORAGE_PREFIX + reason, 'yes')
  } catch {
    // Without storage it might reload in a loop.
    return false
  }
  reload()
  return true
}

/**
 * After a deployment an open page may request a chunk that no longer exists. One reload gets the new chunks; if the new version
 * lacks them too, it is not reloaded again. Without a connection every chunk is missing, and a reload would replace the page, with what
 * was typed, by the browser's error.
 */
export function reloadOnceForNewChunks(reload?: () => void): void {
  window.addEventListener('vite:preloadError', async () => {
    if (await reachServer()) reloadOnce(loadedVersion(), reload)
    else doubtConnection()
  })
}

/** URLs of the page's own scripts; their hashes identify the version. */
const loadedVersion = (): string =>
  [...document.querySelectorAll<HTMLScriptElement>('script[type="module"]')].map(({ src }) => src).join()
