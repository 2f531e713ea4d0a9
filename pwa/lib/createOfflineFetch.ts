import { logout } from '#shared/contract/identity.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { SECOND } from '#shared/dates.ts'
import { noteCopy } from './connection.ts'
import { copiedPaths, TAKEN_AT } from './offlineCopies.ts'
import { isLogoutOwed, settleLogout } from './owedLogout.ts'
import { currentGeneration, forgetOwnFigures, keepOwnFigure, ownPaths, readOwnFigure } from './ownFigures.ts'

/** After this time the user's stored data is shown instead of waiting for a connection. */
const PATIENCE = 8 * SECOND

const ADMIN_PATHS = '/api/admin/'

/**
 * Stores the user's own data and answers with it while the server cannot be reached. Records when an answer is a copy, its own or
 * the service worker's. A 401 deletes the stored data.
 */
export function createOfflineFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const { pathname: path, search } = new URL(input instanceof Request ? input.url : input)
    const isOwn = (init?.method ?? 'GET') === 'GET' && search === '' && ownPaths.has(path)
    if (isLogoutOwed() && path !== logout.path && !copiedPaths.includes(path)) await settleLogout(send)
    const kept = isOwn ? readOwnFigure(path) : null
    const askedIn = currentGeneration()
    try {
      const response = await send(input, kept ? { ...init, signal: withPatience(init?.signal) } : init)
      const takenAt = response.headers.get(TAKEN_AT)
      if (takenAt) return await noteCopied(response, path, new Date(takenAt))
      if (response.status === 401 && !path.startsWith(ADMIN_PATHS) && askedIn === currentGeneration()) forgetOwnFigures()
      if (isOwn && response.ok) keepOwnFigure(path, await response.clone().text(), askedIn)
      return response
    } catch (error) {
      if (!kept || askedIn !== currentGeneration() || !isUnreachable(error)) throw error
      noteCopy(kept.takenAt)
      return new Response(kept.text, { headers: { 'content-type': 'application/json' } })
    }
  }
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')

function withPatience(signal: AbortSignal | null | undefined): AbortSignal {
  const patience = AbortSignal.timeout(PATIENCE)
  // Browsers from before 2024 have no AbortSignal.any and do not time out.
  if (!('any' in AbortSignal)) return signal ?? patience
  return signal ? AbortSignal.any([signal, patience]) : patience
}

async function noteCopied(response: Response, path: string, takenAt: Date): Promise<Response> {
  noteCopy(takenAt)
  if (path !== getConfig.path) return response
  // The clocks in the copy have to be advanced by its age.
  const age = Date.now() - takenAt.getTime()
  const config = (await response.json()) as { serverTime: string; productTime: string }
  const gone = (time: string) => new Date(Date.parse(time) + age).toISOString()
  return Response.json({ ...config, serverTime: gone(config.serverTime), productTime: gone(config.productTime) })
}
