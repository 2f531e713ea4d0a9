import type { adminLogout } from '#shared/contract/admin/login.ts'
import { logout } from '#shared/contract/identity.ts'
import { readStored, store } from './deviceStorage.ts'
import { isJson, isOurs } from './offlineCopies.ts'

/** Its path as in the contract, whose module only the back office loads. */
export const ADMIN_LOGOUT_PATH = '/api/admin/logout' satisfies typeof adminLogout.path

/** The two sessions of a browser end separately. */
const logouts = {
  user: { path: logout.path, storageKey: 'logout_owed' },
  admin: { path: ADMIN_LOGOUT_PATH, storageKey: 'admin_logout_owed' },
} as const

export type Realm = keyof typeof logouts

/** A logout without a connection is queued and sent before any other request of its area. */
export const queueLogout = (realm: Realm = 'user'): void => store(logouts[realm].storageKey, 'yes')

export const isLogoutQueued = (realm: Realm = 'user'): boolean => readStored(logouts[realm].storageKey) !== null

const underWay: Partial<Record<Realm, Promise<void> | undefined>> = {}

/** Sends the queued logout, once for any number of waiting calls. Throws while the server cannot be reached. */
export function sendQueuedLogout(send: typeof fetch, realm: Realm = 'user'): Promise<void> {
  const { path, storageKey } = logouts[realm]
  // The page requested them with the session that ends now.
  if (realm === 'user') delete window.earlyAnswers
  return (underWay[realm] ??= send(location.origin + path, { method: 'POST', credentials: 'include' })
    .then((response) => {
      const { status } = response
      if (isOurs(response) || (isJson(response) && status === 401)) return store(storageKey, null)
      // The back office refuses an address that is not on its list; the session is still there once it is.
      if (!isJson(response) || status !== 403) throw new TypeError('The server did not log out.')
    })
    .finally(() => {
      underWay[realm] = undefined
    }))
}
