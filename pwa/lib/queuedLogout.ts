import { logout } from '#shared/contract/identity.ts'

const STORAGE_KEY = 'logout_owed'

/** A logout without a connection is queued and sent before any other request. */
export function queueLogout(): void {
  try {
    localStorage.setItem(STORAGE_KEY, 'yes')
  } catch {
    // Storage is denied: the session ends when it expires.
  }
}

export function isLogoutQueued(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== null
  } catch {
    return false
  }
}

let underWay: Promise<void> | undefined

/** Sends the queued logout, once for any number of waiting calls. Throws while the server cannot be reached. */
export function sendQueuedLogout(send: typeof fetch): Promise<void> {
  underWay ??= send(location.origin + logout.path, { method: logout.method, credentials: 'include' })
    .then(({ status }) => {
      if (status >= 500) throw new TypeError('The server did not log out.')
      localStorage.removeItem(STORAGE_KEY)
    })
    .finally(() => {
      underWay = undefined
    })
  return underWay
}
