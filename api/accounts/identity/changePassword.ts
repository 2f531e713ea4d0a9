import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
import { refusal } from '#api/platform/errors.ts'
import { mailOwner } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Reader.ts'
import type { Services } from '#api/platform/services.ts'
import { hashPassword, verifyPassword } from './hashPassword.ts'
import { countedAs, type KnownDevice, rememberDevice } from '../devices/knownDevices.ts'
import { replacePassword } from './replacePassword.ts'

export interface PasswordChange {
  user: Owner
  currentPassword: string
  newPassword: string
  /** The account's known browser that asks. */
  device: KnownDevice | undefined
  browserToken: string
  clientAddress: string
  /** Real time. */
  now: Date
}

const wrongPassword = () => refusal(400, 'invalid_credentials', 'The current password is wrong.')

/**
 * Changes one's own password. Opens its own transaction: hashing takes longer than one should be open. Every session of the account
 * ends; the caller signs its own in again, with the epoch that is answered.
 *
 * @throws 400 `invalid_credentials`, 429 after too many wrong passwords.
 */
export async function changePassword(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs' | 'limits'>,
  { user, currentPassword, newPassword, device, browserToken, clientAddress, now }: PasswordChange,
): Promise<number> {
  const { limits } = services
  const counted = countedAs(device, user.id)
  await limits.count('password', counted)
  const [account] = await sql<{ password_hash: string }>(em, 'select password_hash from users where id = $1', [user.id])
  const insteadOf = account?.password_hash
  const forgive = async (error: unknown) => {
    await limits.forgive('password', counted)
    throw error
  }
  const isRight = await verifyPassword(currentPassword, insteadOf).catch(forgive)
  if (!isRight || insteadOf === undefined) throw wrongPassword()
  await limits.forgive('password', counted)

  const passwordHash = await hashPassword(newPassword)
  return em.transactional(async (em) => {
    const epoch = await replacePassword(em, { user, passwordHash, insteadOf })
    if (epoch === undefined) throw wrongPassword()
    await rememberDevice(em, { realm: 'user', accountId: user.id, browserToken, now })
    recordAudit(em, { actor: `user:${user.email}`, action: 'password.change', target: user.email, ipAddress: clientAddress })
    await mailOwner(em, services, {
      to: user,
      subject: 'Your password was changed',
      paragraphs: [
        'The password of your account was changed. Everywhere else you are logged out.',
        'If this was not you, set a new password with “Forgot password?” on the login page and write to us at once.',
      ],
      facts: [
        ['Time', now],
        ['IP address', clientAddress],
      ],
    })
    return epoch
  })
}
