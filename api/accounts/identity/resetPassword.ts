import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import { codeRefusal } from '../otp/consumeCode.ts'
import { consumeUserCode } from '../otp/consumeUserCode.ts'
import type { Services } from '#api/platform/services.ts'
import { checkMailedCode, codeNoLongerValid } from './checkMailedCode.ts'
import { type KnownDevice, rememberDevice } from '../devices/knownDevices.ts'
import { tellRemovedPasskeys } from './changePassword.ts'
import { replacePassword } from './replacePassword.ts'
import { requireNotFrozen } from '../users/frozen.ts'
import { holdWithdrawals } from '../users/holdWithdrawals.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

export interface PasswordReset {
  email: string
  /** The emailed code. */
  code: string
  /** An authenticator code or a recovery code. */
  token: string | undefined
  passwordHash: string
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  /** Assigned to the browser only after the reset: a refusal looks the same whether or not the account exists. */
  getBrowserToken: () => string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Resets a forgotten password with an emailed code and, if the authenticator is enabled, one of its codes. The emailed code stays
 * valid while the other code is missing or wrong. A frozen account without an authenticator is refused: its owner contacts support.
 *
 * It returns a refusal instead of throwing it, so that wrong codes count.
 */
export async function resetPassword(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>,
  { email, code, token, passwordHash, device, getBrowserToken, clientAddress, now }: PasswordReset,
): Promise<DomainError | undefined> {
  const checked = await checkMailedCode(em, services, { email, code, purpose: 'reset', device, now })
  if (checked instanceof DomainError) return checked
  // Locked, so that nobody enables or removes the authenticator meanwhile.
  const user = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language', 'otpSecret'])
    .where('email', '=', email)
    .forNoKeyUpdate()
    .executeTakeFirst()
  // A code is also generated for an address without an account, and it was guessed.
  if (!user) return codeNoLongerValid()
  const isOtpEnabled = user.otpSecret !== null
  // With the mailbox alone, somebody else could take over a frozen account.
  if (!isOtpEnabled) await requireNotFrozen(em, services.clock, user.id)
  if (isOtpEnabled && token === undefined) {
    return refusal(403, 'otp_required', 'Please also enter the code from your authenticator app.')
  }
  if (isOtpEnabled && token !== undefined) {
    const spent = await consumeUserCode(em, services, { user, token, device, clientAddress, now })
    if (spent && spent.outcome !== 'spent' && spent.outcome !== 'recovered') {
      return codeRefusal(spent, { wrong: 'Invalid verification code. Please try again.', now })
    }
  }

  const replaced = await replacePassword(em, { user, passwordHash })
  // All other browsers become unknown. This one stays known, so that continued guessing does not lock the owner out.
  await rememberDevice(em, {
    realm: 'user',
    accountId: user.id,
    browserToken: getBrowserToken(),
    hasShownCode: isOtpEnabled,
    now,
  })
  await holdWithdrawals(em, { userId: user.id, now, dueNow: await services.clock.dueNow(em) })
  recordAudit(em, { actor: `user:${email}`, action: 'password.reset', target: email, ipAddress: clientAddress })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'A new password was set for your account',
    paragraphs: [
      'A new password was set with a code emailed to this address. You have been logged out everywhere. Withdrawals are on hold for the next 24 hours.',
      ...(replaced ? tellRemovedPasskeys(replaced) : []),
      "If this wasn't you, contact us immediately.",
    ],
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return undefined
}
