import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '../auditLog/recordAudit.ts'
import type { TranslatableText } from '#api/platform/mail/sentence.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { checkOwnPassword, type OwnPassword, wrongPassword } from './checkOwnPassword.ts'
import { hashPassword } from './hashPassword.ts'
import { lockCodes } from './storeCode.ts'
import { rememberDevice } from '../devices/knownDevices.ts'
import { type ReplacedPassword, replacePassword } from './replacePassword.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { requireNotFrozen } from '../users/frozen.ts'

export interface PasswordGiven extends Omit<OwnPassword, 'password'> {
  currentPassword: string
  newPassword: string
}

/** The hashes of the new password and of the password it replaces. */
export interface CheckedPassword {
  passwordHash: string
  insteadOf: string
}

export interface PasswordChange extends CheckedPassword {
  user: Owner
  browserToken: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** The paragraph about passkeys that went with the old password. */
export const tellRemovedPasskeys = ({ passkeys }: ReplacedPassword): TranslatableText[] =>
  passkeys > 0 ? ['Your passkeys were removed. You can add them again in Security Settings.'] : []

/**
 * Checks the current password and hashes the new one. A frozen account is refused before anything is hashed, and again in the
 * transaction of the change.
 *
 * @throws 400 `invalid_credentials`, 409 `account_frozen`, 429 after too many wrong passwords.
 */
export async function checkPasswordChange(
  em: EntityManager,
  { clock, limits }: Pick<Services, 'clock' | 'limits'>,
  { userId, currentPassword, newPassword, device }: PasswordGiven,
): Promise<CheckedPassword> {
  await requireNotFrozen(em, clock, userId)
  const insteadOf = await checkOwnPassword(em, limits, { userId, password: currentPassword, device })
  return { passwordHash: await hashPassword(newPassword, { isKnownDevice: device !== undefined }), insteadOf }
}

/**
 * Ends every session of the account; the caller renews its own session with the returned epoch.
 *
 * @throws 400 `invalid_credentials` if another request has replaced the password, 409 `account_frozen`.
 */
export async function changePassword(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, passwordHash, insteadOf, browserToken, clientAddress, now }: PasswordChange,
): Promise<number> {
  // Codes are locked before accounts.
  await lockCodes(em, user.email)
  await requireNotFrozen(em, services.clock, user.id)
  const replaced = await replacePassword(em, { user, passwordHash, insteadOf })
  if (!replaced) throw wrongPassword()
  await rememberDevice(em, { realm: 'user', accountId: user.id, browserToken, hasRaisedEpoch: true, now })
  recordAudit(em, { actor: `user:${user.email}`, action: 'password.change', target: user.email, ipAddress: clientAddress })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your password was changed',
    paragraphs: [
      'Your account password was changed. You have been logged out everywhere else.',
      ...tellRemovedPasskeys(replaced),
      "If this wasn't you, set a new password with “Forgot password?” on the login page and contact us immediately.",
    ],
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return replaced.epoch
}
