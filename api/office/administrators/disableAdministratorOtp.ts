import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { DomainError } from '#api/platform/errors.ts'
import type { KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { clearOtp } from '#api/accounts/otp/clearOtp.ts'
import { decryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { codeRefusal, consumeCode } from '#api/accounts/otp/consumeCode.ts'
import { otpNotEnabled } from '#api/accounts/otp/verifyOtp.ts'
import { lockOwner } from '#api/accounts/passkeys/passkeyOwners.ts'
import { tooFewPasskeys } from './changePasskeys.ts'
import { MIN_PASSKEYS, readSecondFactors } from './readSecondFactors.ts'

export interface AdministratorOtpRequest {
  administrator: { id: string; name: string }
  token: string
  /** The administrator's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  encryptionKey: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Disables the authenticator with one of its codes. Where there are passkeys, the login then asks for one of them, and two are needed. It
 * returns a refusal instead of throwing it, so that a wrong code counts.
 */
export async function disableAdministratorOtp(
  em: EntityManager,
  { administrator: { id, name }, token, device, encryptionKey, clientAddress, now }: AdministratorOtpRequest,
): Promise<DomainError | undefined> {
  const account = await query(em).selectFrom('administrators').select('otpSecret').where('id', '=', id).executeTakeFirst()
  const storedSecret = account?.otpSecret
  if (!storedSecret) return otpNotEnabled()
  // The lock keeps the passkeys that are counted here until codes are off.
  await lockOwner(em, { realm: 'admin', id })
  const { passkeys, usablePasskeys } = await readSecondFactors(em, id)
  if (passkeys > 0 && usablePasskeys < MIN_PASSKEYS)
    return tooFewPasskeys(
      'Codes can be switched off once there are two passkeys. Please add another one, or remove the one you have.',
    )

  const secret = decryptSecret(storedSecret, { encryptionKey, owner: id })
  const code = await consumeCode(em, { account: { realm: 'admin', id }, device, secret, storedSecret, token, now })
  if (code.outcome !== 'spent') {
    recordAudit(em, { actor: `admin:${name}`, action: 'admin.otp_refused', target: name, ipAddress: clientAddress })
    return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
  }
  await clearOtp(em, { realm: 'admin', id })
  recordAudit(em, { actor: `admin:${name}`, action: 'admin.otp_disable', target: name, ipAddress: clientAddress })
  return undefined
}
