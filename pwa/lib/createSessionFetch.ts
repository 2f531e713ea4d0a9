import { enableOtp, verifyOtp } from '#shared/contract/otp.ts'
import { changePassword } from '#shared/contract/password.ts'

/** Responses of these set a new session cookie, which invalidates the previous one. */
const sessionRenewals: ReadonlySet<string> = new Set([enableOtp.path, verifyOtp.path, changePassword.path])

export const pathOf = (input: RequestInfo | URL): string => new URL(input instanceof Request ? input.url : input).pathname

/**
 * Retries once a request that was sent with the old cookie while the session got a new one: it was refused although the user is
 * logged in. A refused call has had no effect, so the retry is safe.
 */
export function createSessionFetch(send: typeof fetch): typeof fetch {
  const underWay = new Set<Promise<unknown>>()
  let renewals = 0

  return async (input, init) => {
    if (sessionRenewals.has(pathOf(input))) {
      const renewal = send(input, init).finally(() => {
        renewals += 1
        underWay.delete(renewal)
      })
      underWay.add(renewal)
      return renewal
    }
    const before = renewals
    const response = await send(input, init)
    if (response.status !== 401 || (renewals === before && underWay.size === 0)) return response
    await Promise.allSettled(underWay)
    return send(input, init)
  }
}
