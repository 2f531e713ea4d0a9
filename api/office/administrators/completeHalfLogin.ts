import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import { findKnownDevice, rememberDevice } from '#api/accounts/devices/knownDevices.ts'
import { decryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { codeRefusal, spendCode } from '#api/accounts/otp/spendCode.ts'
import { auditFailedLogin } from './auditFailedLogin.ts'

const loginExpired = () => refusal(403, 'login_expired', 'Your login has expired. Please log in again.')

export interface HalfLoginCode {
  /** Undefined for a browser without a session. */
  sessionKey: string | undefined
  token: string
  /** Of the browser, which this login makes a known one. */
  browserToken: string
  encryptionKey: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Completes the login that this session has begun, with a code of the authenticator. Answers a refusal instead of throwing it, so
 * that a wrong code counts: against this half-login's five tries and against the account's (money.md 34).
 */
export async function completeHalfLogin(
  em: EntityManager,
  { sessionKey, token, browserToken, encryptionKey, clientAddress, now }: HalfLoginCode,
): Promise<DomainError | { id: string; epoch: number }> {
  // Of two codes sent at once the second waits here, and finds what the first has left. A changed password ends it as well.
  const [half] = await sql<{ id: string; administrator_id: string; epoch: number; username: string; otp_secret: string | null }>(
    em,
    `update half_logins h set tries_left = tries_left - 1 from administrators a
     where h.session_key = $1 and h.consumed_at is null and h.tries_left > 0 and h.expires_at > $2
       and a.id = h.administrator_id and a.session_epoch = h.epoch
     returning h.id, h.administrator_id, h.epoch, a.username, a.otp_secret`,
    [sessionKey ?? null, now],
  )
  if (!half?.otp_secret) return loginExpired()
  const { administrator_id: id, epoch, username, otp_secret: storedSecret } = half

  const device = await findKnownDevice(em, { realm: 'admin', name: username, browserToken })
  const secret = decryptSecret(storedSecret, { encryptionKey, owner: id })
  const code = await spendCode(em, { account: { realm: 'admin', id }, device, secret, storedSecret, token, now })
  if (code.outcome !== 'spent') {
    const error = codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
    auditFailedLogin(em, { username, clientAddress, error })
    return error
  }
  await sql(em, 'update half_logins set consumed_at = $2 where id = $1', [half.id, now])
  await rememberDevice(em, { realm: 'admin', accountId: id, browserToken, hasShownCode: true, now })
  recordAudit(em, { actor: `admin:${username}`, action: 'admin.login', target: username, ipAddress: clientAddress })
  return { id, epoch }
}
