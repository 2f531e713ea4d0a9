import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import { findKnownDevice, rememberDevice } from '#api/accounts/devices/knownDevices.ts'
import { decryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { codeRefusal, consumeCode } from '#api/accounts/otp/consumeCode.ts'
import { auditFailedLogin } from './auditFailedLogin.ts'

const loginExpired = () => refusal(403, 'login_expired', 'Your login has expired. Please log in again.')

export interface HalfLoginCode {
  /** Undefined for a browser without a session. */
  sessionKey: string | undefined
  token: string
  /** The browser's token; this login makes the browser a known device. */
  browserToken: string
  encryptionKey: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Completes the half-login of this session with a code of the authenticator. It returns a refusal instead of throwing it, so that
 * a wrong code counts: against the half-login's five tries and against the account's (money.md 34).
 */
export async function completeHalfLogin(
  em: EntityManager,
  { sessionKey, token, browserToken, encryptionKey, clientAddress, now }: HalfLoginCode,
): Promise<DomainError | { id: string; epoch: number }> {
  // The lock serializes concurrent codes. A changed password has deleted the row.
  const half = await query(em)
    .updateTable('half_logins')
    .from('administrators as a')
    .set((eb) => ({ triesLeft: eb('half_logins.triesLeft', '-', 1) }))
    .where('half_logins.sessionKey', '=', sessionKey ?? null)
    .where('half_logins.consumedAt', 'is', null)
    .where('half_logins.triesLeft', '>', 0)
    .where('half_logins.expiresAt', '>', now)
    .whereRef('a.id', '=', 'half_logins.administrator')
    .whereRef('a.sessionEpoch', '=', 'half_logins.epoch')
    .returning(['half_logins.id', 'half_logins.administrator', 'half_logins.epoch', 'a.username', 'a.otpSecret'])
    .executeTakeFirst()
  if (!half?.otpSecret) return loginExpired()
  const { administrator: id, epoch, username, otpSecret: storedSecret } = half

  const device = await findKnownDevice(em, { realm: 'admin', name: username, browserToken })
  const secret = decryptSecret(storedSecret, { encryptionKey, owner: id })
  const code = await consumeCode(em, { account: { realm: 'admin', id }, device, secret, storedSecret, token, now })
  if (code.outcome !== 'spent') {
    const error = codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
    auditFailedLogin(em, { username, clientAddress, error })
    return error
  }
  await query(em).updateTable('half_logins').set({ consumedAt: now }).where('id', '=', half.id).execute()
  await rememberDevice(em, { realm: 'admin', accountId: id, browserToken, hasShownCode: true, now })
  recordAudit(em, { actor: `admin:${username}`, action: 'admin.login', target: username, ipAddress: clientAddress })
  return { id, epoch }
}
