import type { EntityManager } from '@mikro-orm/postgresql'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import type { Services } from '#api/platform/services.ts'
import { consumeStepUpMark } from './consumeStepUpMark.ts'
import { readOtpStatus } from './readOtpStatus.ts'
import { replaceRecoveryCodes } from './replaceRecoveryCodes.ts'
import { otpNotEnabled } from './verifyOtp.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { requireNotFrozen } from '../users/frozen.ts'

export interface RecoveryCodesRequest {
  user: Owner
  sessionKey: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Generates new recovery codes for a session that has just shown a code. @throws 403 `otp_required`, 409 `otp_not_enabled` or `account_frozen`. */
export async function renewRecoveryCodes(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, sessionKey, clientAddress, now }: RecoveryCodesRequest,
): Promise<string[]> {
  await requireNotFrozen(em, services.clock, user.id)
  const { otpEnabled } = await readOtpStatus(em, user.id)
  if (!otpEnabled) throw otpNotEnabled()
  await consumeStepUpMark(em, { userId: user.id, sessionKey, purpose: 'recovery_codes', now })
  const codes = await replaceRecoveryCodes(em, { userId: user.id, encryptionKey: services.config.ENCRYPTION_KEY, now })

  recordAudit(em, { actor: `user:${user.email}`, action: 'otp.recovery_codes', target: user.email, ipAddress: clientAddress })
  await recordChange(em, { userId: user.id, keys: [otpStatus.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your recovery codes were replaced',
    paragraphs: [
      'New recovery codes were generated for your account. Your old codes no longer work.',
      "If this wasn't you, change your password and contact us immediately.",
    ],
    facts: [
      ['Time', now],
      ['IP address', clientAddress],
    ],
  })
  return codes
}
