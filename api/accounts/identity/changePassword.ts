import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { RateLimiter } from '#api/platform/http/limitRate.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { hashPassword, verifyPassword } from './hashPassword.ts'
import { countedAs, type KnownDevice, rememberDevice } from '../devices/knownDevices.ts'
import { replacePassword } from './replacePassword.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

export interface PasswordGiven {
  userId: string
  currentPassword: string
  newPassword: string
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
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

const wrongPassword = () => refusal(400, 'invalid_credentials', 'The current password is incorrect.')

/**
 * Checks the current password and hashes the new one. It runs outside a transaction because hashing is slow.
 *
 * @throws 400 `invalid_credentials`, 429 after too many wrong passwords.
 */
export async function checkPasswordChange(
  em: EntityManager,
  limits: RateLimiter,
  { userId, currentPassword, newPassword, device }: PasswordGiven,
): Promise<CheckedPassword> {
  const counted = countedAs(device, userId)
  await limits.count('password', counted)
  const account = await query(em).selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst()
  const insteadOf = account?.passwordHash
  const uncount = async (error: unknown) => {
    await limits.uncount('password', counted)
    throw error
  }
  const isRight = await verifyPassword(currentPassword, insteadOf).catch(uncount)
  if (!isRight || insteadOf === undefined) throw wrongPassword()
  await limits.uncount('password', counted)
  return { passwordHash: await hashPassword(newPassword), insteadOf }
}

/** Ends every session of the account; the caller renews its own session with the returned epoch. */
export async function changePassword(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { user, passwordHash, insteadOf, browserToken, clientAddress, now }: PasswordChange,
): Promise<number> {
  const epoch = await replacePassword(em, { user, passwordHash, insteadOf })
  if (epoch === undefined) throw wrongPassword()
  await rememberDevice(em, { realm: 'user', accountId: user.id, browserToken, now })
  recordAudit(em, { actor: `user:${user.email}`, action: 'password.change', target: user.email, ipAddress: clientAddress })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your password was changed',
    paragraphs: [
      'Your account password was changed. You have been logged out everywhere else.',
      "If this wasn't you, set a new password with “Forgot password?” on the login page and contact us immediately.",
    ],
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return epoch
}
