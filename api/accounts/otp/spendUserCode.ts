import type { EntityManager } from '@mikro-orm/postgresql'
import { readRecoveryCode } from '#shared/oneTimeCode.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
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
  const [account] = await sql<{ otp_secret: string | null }>(em, 'select otp_secret from users where id = $1', [user.id])
  const storedSecret = account?.otp_secret
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
  const unchanged = await sql(em, 'select from users where id = $1 and otp_secret = $2', [user.id, storedSecret])
  if (unchanged.length === 0) return false
  const codeHash = hashRecoveryCode({ userId: user.id, code }, services.config.ENCRYPTION_KEY)
  const used = await sql(
    em,
    'update recovery_codes set used_at = $3 where user_id = $1 and code_hash = $2 and used_at is null returning id',
    [user.id, codeHash, now],
  )
  if (used.length === 0) return false
  await clearCounter(em, caller)

  const [left] = await sql<{ count: number }>(
    em,
    'select count(*)::int as count from recovery_codes where user_id = $1 and used_at is null',
    [user.id],
  )
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'otp.recovery_code',
    target: user.email,
    ipAddress: clientAddress,
    after: { codesLeft: left?.count ?? 0 },
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
      ['Codes left', String(left?.count ?? 0)],
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return true
}
