import type { EntityManager } from '@mikro-orm/postgresql'
import { readRecoveryCode } from '#shared/oneTimeCode.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { RecoveryCode } from '#api/entities/RecoveryCode.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { decryptSecret } from './encryptSecret.ts'
import { hashRecoveryCode } from './hashRecoveryCode.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import { clearCounter, lockCounter, type ConsumedCode, consumeCode } from './consumeCode.ts'
import { cancelOtpReset } from './planOtpReset.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

export interface UserCode {
  user: Owner
  /** An authenticator code or a recovery code. */
  token: string
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Consumes a code of a user's authenticator or one of the recovery codes. A wrong code of either kind counts. Undefined if no
 * authenticator is enabled. The caller commits whatever the outcome.
 */
export async function consumeUserCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  request: UserCode,
): Promise<ConsumedCode | { outcome: 'recovered' } | undefined> {
  const { user, token, device, now } = request
  const account = await query(em).selectFrom('users').select('otpSecret').where('id', '=', user.id).executeTakeFirst()
  const storedSecret = account?.otpSecret
  if (!storedSecret) return undefined

  // The second factor is not lost: its owner has the authenticator or a recovery code.
  const cancelReset = () => cancelOtpReset(em, { user, actor: `user:${user.email}`, clientAddress: request.clientAddress })
  const code = readRecoveryCode(token)
  if (code && (await spendRecoveryCode(em, services, { ...request, code, storedSecret }))) {
    await cancelReset()
    return { outcome: 'recovered' }
  }
  const secret = decryptSecret(storedSecret, { encryptionKey: services.config.ENCRYPTION_KEY, owner: user.id })
  const consumed = await consumeCode(em, {
    account: { realm: 'user', id: user.id },
    device,
    secret,
    storedSecret,
    token,
    now,
  })
  if (consumed.outcome === 'spent') await cancelReset()
  return consumed
}

/** Whether the code is a valid recovery code. Always false for a locked caller; `consumeCode` then returns the end of the lock. */
async function spendRecoveryCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, code, device, storedSecret, clientAddress, now }: UserCode & { code: string; storedSecret: string },
): Promise<boolean> {
  const caller = { account: { realm: 'user' as const, id: user.id }, device, now }
  // The lock serializes guesses for one account, so that each sees a lock set by the previous one.
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
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'A recovery code was used',
    paragraphs: [
      "One of your recovery codes was used instead of an authenticator code. It won't work again.",
      "If this wasn't you, change your password, generate new recovery codes in Security Settings and contact us immediately.",
    ],
    facts: [
      ['Codes left', String(codesLeft)],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return true
}
