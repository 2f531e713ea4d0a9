import { getAuthUser } from '#shared/contract/identity.ts'
import { enableOtp, verifyOtp } from '#shared/contract/otp.ts'
import { changePassword } from '#shared/contract/password.ts'
import { SECOND } from '#shared/dates.ts'

/** Responses of these set a new session cookie, which invalidates the previous one. */
const sessionRenewals: ReadonlySet<string> = new Set([
  enableOtp.path,
  verifyOtp.path,
  changePassword.path,
  // By its text: the contract of the back office is not for everybody's page.
  '/api/admin/settings/credentials',
])

/** A renewal that hangs holds other requests no longer. They are then sent, and repeated once it has ended if they were refused. */
const LONGEST_HOLD = 8 * SECOND

/** Time for another tab to receive the cookie that both share: its change is refused here and answered there at the same moment. */
const OTHER_TAB_TIME = 500

/** Every page asks these. For a visitor the refusal is an answer, which must not wait. */
const accountPaths: ReadonlySet<string> = new Set([getAuthUser.path, '/api/admin/auth/user'])

export const pathOf = (input: RequestInfo | URL): string => new URL(input instanceof Request ? input.url : input).pathname

/**
 * Holds requests while the session gets a new cookie, and retries once a request that was sent with the old one just before: it was
 * refused although the user is logged in. A refused call has had no effect, so the retry is safe. Since another tab may have changed the
 * cookie, every read of somebody who was logged in is retried before its refusal counts as the end of the session.
 */
export function createSessionFetch(send: typeof fetch): typeof fetch {
  const underWay = new Set<Promise<unknown>>()
  let renewals = 0
  const loggedIn = new Set<string>()

  /** Notes whether this tab has somebody logged in. */
  function note(path: string, response: Response): Response {
    if (accountPaths.has(path) && response.ok) loggedIn.add(path)
    if (response.status === 401) loggedIn.delete(path)
    return response
  }

  return async (input, init) => {
    const path = pathOf(input)
    const isRead = (init?.method ?? 'GET') === 'GET'
    if (!isRead && sessionRenewals.has(path)) {
      const renewal = send(input, init).finally(() => {
        renewals += 1
        underWay.delete(renewal)
      })
      underWay.add(renewal)
      return renewal
    }
    if (underWay.size > 0) await settled(underWay, init?.signal)
    const before = renewals
    const mayBeRetried = isRead && (!accountPaths.has(path) || loggedIn.has(path))
    const response = await send(input, init)
    if (response.status !== 401) return note(path, response)
    if (renewals !== before || underWay.size > 0) await settled(underWay, init?.signal)
    else if (mayBeRetried) await settled([new Promise((resolve) => setTimeout(resolve, OTHER_TAB_TIME))], init?.signal)
    else return response
    return note(path, await send(input, init))
  }
}

/** Ends when all have ended, when the signal says so, or after the longest hold. */
const settled = (work: Iterable<Promise<unknown>>, signal?: AbortSignal | null): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_HOLD)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
    void Promise.allSettled(work).then(end)
  })
