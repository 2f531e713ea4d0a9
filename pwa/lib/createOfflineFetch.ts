import { NotSent } from '#shared/contract/client.ts'
import { logout } from '#shared/contract/identity.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { doubtConnection, recordCopy } from './connection.ts'
import { copiedPaths, isOurs, TAKEN_AT } from './offlineCopies.ts'
import { ADMIN_LOGOUT_PATH, isLogoutQueued, type Realm, sendQueuedLogout } from './queuedLogout.ts'
import { currentGeneration, deleteSnapshot, storeInSnapshot, snapshotPaths, readFromSnapshot } from './offlineSnapshot.ts'

/** After this time the user's stored data is shown instead of waiting for a connection. */
const OFFLINE_FALLBACK_TIMEOUT = 8 * SECOND

const ADMIN_PATHS = '/api/admin/'

/**
 * Stores the user's own data and answers with it while the server cannot be reached. Records when an answer is a copy, its own or
 * the service worker's. A 401 deletes the stored data.
 */
export function createOfflineFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const { pathname: path, search } = new URL(input instanceof Request ? input.url : input)
    const isOwn = (init?.method ?? 'GET') === 'GET' && search === '' && snapshotPaths.has(path)
    if (isLogoutQueued() && path !== logout.path && !copiedPaths.includes(path)) await sendFirst(send)
    if (path.startsWith(ADMIN_PATHS) && path !== ADMIN_LOGOUT_PATH && isLogoutQueued('admin')) await sendFirst(send, 'admin')
    const stored = isOwn ? readFromSnapshot(path) : null
    const requestGeneration = currentGeneration()
    // Read before: a connection that is lost meanwhile may have taken the request along.
    const hadConnection = navigator.onLine
    try {
      const response = await send(input, stored ? { ...init, signal: withTimeout(init?.signal) } : init)
      const takenAt = response.headers.get(TAKEN_AT)
      if (takenAt) return await recordCopied(response, path, new Date(takenAt))
      // A page in place of an answer comes from a proxy: the server was not reached.
      if (response.ok && !isOurs(response)) throw new TypeError(`A proxy answered ${path}.`)
      if (response.status === 401 && !path.startsWith(ADMIN_PATHS) && requestGeneration === currentGeneration()) deleteSnapshot()
      if (isOwn && response.ok) storeInSnapshot(path, await response.clone().text(), requestGeneration)
      return response
    } catch (error) {
      if (!isUnreachable(error)) throw error
      if (!stored || requestGeneration !== currentGeneration()) {
        doubtConnection()
        throw hadConnection ? error : new NotSent((error as Error).message, { cause: error })
      }
      recordCopy(stored.takenAt)
      return new Response(stored.text, { headers: { 'content-type': 'application/json' } })
    }
  }
}

/** Sends the queued logout, without which the call is not sent either. */
async function sendFirst(send: typeof fetch, realm?: Realm): Promise<void> {
  try {
    await sendQueuedLogout(send, realm)
  } catch (error) {
    throw new NotSent((error as Error).message, { cause: error })
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')

function withTimeout(signal: AbortSignal | null | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(OFFLINE_FALLBACK_TIMEOUT)
  // Browsers from before 2024 have no AbortSignal.any and do not time out.
  if (!('any' in AbortSignal)) return signal ?? timeout
  return signal ? AbortSignal.any([signal, timeout]) : timeout
}

async function recordCopied(response: Response, path: string, takenAt: Date): Promise<Response> {
  recordCopy(takenAt)
  if (path !== getConfig.path) return response
  // The clocks in the copy have to be advanced by its age.
  const age = Date.now() - takenAt.getTime()
  const config = (await response.json()) as { serverTime: string; productTime: string }
  const advance = (time: string) => new Date(Date.parse(time) + age).toISOString()
  return Response.json({ ...config, serverTime: advance(config.serverTime), productTime: advance(config.productTime) })
}
