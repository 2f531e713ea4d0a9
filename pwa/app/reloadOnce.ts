import { isBusy } from '#pwa/lib/busy.ts'

const MARK = 'reloaded-for:'

/** Reloads the page, but never twice for the same reason, and not while a payment, a code or a signature is in progress. */
export function reloadOnce(reason: string, reload = () => location.reload()): boolean {
  if (isBusy()) return false
  try {
    if (sessionStorage.getItem(MARK + reason)) return false
    sessionStorage.setItem(MARK + reason, 'yes')
  } catch {
    // Without a memory it might reload for ever.
    return false
  }
  reload()
  return true
}

/**
 * After a new version was put up, a page that was open may ask for a part that is gone. One reload brings the new parts; a version
 * that lacks them as well is not reloaded again.
 */
export function reloadOnceForNewChunks(reload?: () => void): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (reloadOnce(loadedVersion(), reload)) event.preventDefault()
  })
}

/** The page's own scripts, whose names carry their content. */
const loadedVersion = (): string =>
  [...document.querySelectorAll<HTMLScriptElement>('script[type="module"]')].map(({ src }) => src).join()
