import type { EntityManager } from '@mikro-orm/postgresql'
import { readRecoveryCode } from '#shared/oneTimeCode.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { RecoveryCode } from '#api/entities/RecoveryCode.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Reader.ts'
import type { Services } from '#api/platform/services.ts'
import { decryptSecret } from './encryptSecret.ts'
import { hashRecoveryCode } from './hashRecoveryCode.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import { clearCounter, lockCounter, type SpentCode, spendCode } from './spendCode.ts'

export interface UserCode {
  user: Owner
  /** An authenticator code, or a recovery code in its place. */
  token: string
  /** The account's known browser that shows the code. */
  device: KnownDevice | undefined
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Uses up a code of a user's authenticator, or one of the recovery codes that stand in for it. A wrong one counts whichever it was
 * meant to be. Undefined while no authenticator is enabled. The caller commits whatever the outcome is.
 */
export async function spendUserCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  request: UserCode,
): Promise<SpentCode | { outcome: 'recovered' } | undefined> {
  const { user, token, device, now } = request
  const account = await query(em).selectFrom('users').select('otpSecret').where('id', '=', user.id).executeTakeFirst()
  const storedSecret = account?.otpSecret
  if (!storedSecret) return undefined

  const code = readRecoveryCode(token)
  if (code && (await spendRecoveryCode(em, services, { ...request, code, storedSecret }))) return { outcome: 'recovered' }
  const secret = decryptSecret(storedSecret, { encryptionKey: services.config.ENCRYPTION_KEY, owner: user.id })
  return spendCode(em, { account: { realm: 'user', id: user.id }, device, secret, storedSecret, token, now })
}

/** Whether it was one. A locked caller has none, however right: `spendCode` then says how long. */
async function spendRecoveryCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, code, device, storedSecret, clientAddress, now }: UserCode & { code: string; storedSecret: string },
): Promise<boolean> {
  const caller = { account: { realm: 'user' as const, id: user.id }, device, now }
  // Guesses for one account wait for each other here: each sees the lock that the one before it set.
  if (await lockCounter(em, caller)) return false
  const unchanged = await query(em)
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.id)
    .where('otpSecret', '=', storedSecret)
    .executeTakeFirst()
  if (!unchanged) return false
  const codeHash = hashRecoveryCode({ userId: user.id, code }, services.config.ENCRYPTION_KEY)
  const used = await query(em)
    .updateTable('recovery_codes')
    .set({ usedAt: now })
    .where('user', '=', user.id)
    .where('codeHash', '=', codeHash)
    .where('usedAt', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!used) return false
  await clearCounter(em, caller)

  const codesLeft = await em.count(RecoveryCode, { user: user.id, usedAt: null })
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'otp.recovery_code',
    target: user.email,
    ipAddress: clientAddress,
    after: { codesLeft },
  })
  await recordChange(em, { userId: user.id, keys: [otpStatus.path] })
  await mailOwner(em, services, {
    to: user,
    subject: 'A recovery code was used',
    paragraphs: [
      'One of the recovery codes of your account was used in place of an authenticator code. It does not work again.',
      'If this was not you, change your password, draw new recovery codes in Security Settings and write to us at once.',
    ],
    facts: [
      ['Codes left', String(codesLeft)],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return true
}
