import type { EntityManager } from '@mikro-orm/postgresql'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import type { DomainError } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { holdWithdrawals } from '../users/holdWithdrawals.ts'
import type { Services } from '#api/platform/services.ts'
import type { OtpRequest } from './enableOtp.ts'
import { codeRefusal } from './consumeCode.ts'
import { consumeUserCode } from './consumeUserCode.ts'
import { otpNotEnabled } from './verifyOtp.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import { requireNotFrozen } from '../users/frozen.ts'

/**
 * Disables the authenticator with one of its codes or a recovery code. It returns a refusal instead of throwing it, so that a
 * wrong code counts.
 */
export async function disableOtp(
  em: EntityManager,
  { clock, config, jobs }: Pick<Services, 'clock' | 'config' | 'jobs'>,
  { user, token, device, clientAddress, now }: Omit<OtpRequest, 'sessionKey'>,
): Promise<DomainError | undefined> {
  await requireNotFrozen(em, clock, user.id)
  const code = await consumeUserCode(em, { config, jobs }, { user, token, device, clientAddress, now })
  if (!code) return otpNotEnabled()
  if (code.outcome !== 'spent' && code.outcome !== 'recovered')
    return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
  // The used time steps do not apply to the next secret.
  await query(em)
    .updateTable('users')
    .set({ otpSecret: null, otpEnabledAt: null, otpLastStep: null })
    .where('id', '=', user.id)
    .execute()
  await query(em).deleteFrom('step_up_marks').where('user', '=', user.id).where('consumedAt', 'is', null).execute()
  await query(em).deleteFrom('recovery_codes').where('user', '=', user.id).execute()
  await holdWithdrawals(em, { userId: user.id, now, dueNow: await clock.dueNow(em) })

  recordAudit(em, { actor: `user:${user.email}`, action: 'otp.disable', target: user.email, ipAddress: clientAddress })
  await recordChange(em, { userId: user.id, keys: [otpStatus.path] })
  await notifyOwner(
    em,
    { config, jobs },
    {
      to: user,
      topic: 'security',
      link: '/security',
      subject: 'Your authenticator is disabled',
      paragraphs: [
        "The authenticator app has been disabled for your account. You can't buy or withdraw until you enable one again.",
        "If this wasn't you, change your password and contact us immediately.",
      ],
      facts: [
        ['Time', now],
        ['IP address', clientAddress],
      ],
    },
  )
  return undefined
}
