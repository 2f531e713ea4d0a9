import type { EntityManager } from '@mikro-orm/postgresql'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { confirmOtpSetup } from './confirmOtpSetup.ts'
import { replaceRecoveryCodes } from './replaceRecoveryCodes.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { requireNotFrozen } from '../users/frozen.ts'

export interface OtpRequest {
  user: Owner
  sessionKey: string
  token: string
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Enables the authenticator with a code of the secret that was shown to this session. The enabling code counts as a verified one,
 * so the session may make one purchase or withdrawal. The result contains the recovery codes. It returns a refusal instead of
 * throwing it, so that a wrong code counts.
 */
export async function enableOtp(
  em: EntityManager,
  { clock, config, jobs }: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, sessionKey, secret, token, device, clientAddress, now }: OtpRequest & { secret: string },
): Promise<DomainError | { recoveryCodes: string[] }> {
  await requireNotFrozen(em, clock, user.id)
  const confirmed = await confirmOtpSetup(em, {
    account: { realm: 'user', id: user.id },
    device,
    sessionKey,
    secret,
    token,
    encryptionKey: config.ENCRYPTION_KEY,
    now,
  })
  if (confirmed instanceof DomainError) return confirmed
  await query(em)
    .insertInto('step_up_marks')
    .values({ id: newId(), user: user.id, sessionKey, grantedAt: now, enabledWithStep: confirmed.step })
    .execute()

  const recoveryCodes = await replaceRecoveryCodes(em, { userId: user.id, encryptionKey: config.ENCRYPTION_KEY, now })

  recordAudit(em, { actor: `user:${user.email}`, action: 'otp.enable', target: user.email, ipAddress: clientAddress })
  await recordChange(em, { userId: user.id, keys: [otpStatus.path] })
  await notifyOwner(
    em,
    { config, jobs },
    {
      to: user,
      topic: 'security',
      link: '/security',
      subject: 'Your authenticator is enabled',
      paragraphs: [
        'The authenticator app has been enabled for your account. Purchases and withdrawals now require its code.',
        "If this wasn't you, change your password and contact us immediately.",
      ],
      facts: [
        ['Time', now],
        ['IP address', clientAddress],
      ],
    },
  )
  return { recoveryCodes }
}
