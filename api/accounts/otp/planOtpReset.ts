import type { EntityManager } from '@mikro-orm/postgresql'
import { getPerson } from '#shared/contract/admin/person.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'
import type { OtpReset } from './resetOtp.ts'

/** After this time a reset that one administrator asks for takes effect: the owner is mailed and can stop it meanwhile. */
const RESET_DELAY = DAY

export interface AskedReset extends OtpReset {
  reason: string
  clientAddress: string
}

/** @throws 409 `otp_not_enabled` */
export async function requireOtp(em: EntityManager, userId: string): Promise<{ otpResetsAt: Date | null }> {
  const { otpSecret, otpResetsAt } = await query(em)
    .selectFrom('users')
    .select(['otpSecret', 'otpResetsAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (otpSecret === null) throw refusal(409, 'otp_not_enabled', 'This account has no authenticator.')
  return { otpResetsAt }
}

/**
 * Plans the removal of a lost authenticator in 24 hours. A code of it, a recovery code, a freeze, another authenticator or an administrator
 * cancels it. One that is planned already stays as it is.
 *
 * @returns when it takes effect. @throws 409 `otp_not_enabled`
 */
export async function planOtpReset(
  em: EntityManager,
  services: MailServices,
  { user, actor, reason, clientAddress, now }: AskedReset,
): Promise<Date> {
  const { otpResetsAt } = await requireOtp(em, user.id)
  if (otpResetsAt) return otpResetsAt
  const resetsAt = new Date((await readWaitStart(em, now)).getTime() + RESET_DELAY)
  await query(em).updateTable('users').set({ otpResetsAt: resetsAt, otpResetBy: actor }).where('id', '=', user.id).execute()
  await recordChange(em, { userId: user.id, keys: [otpStatus.path, getPerson.path] })
  recordAudit(em, {
    actor,
    action: 'otp.plan_reset',
    target: user.email,
    ipAddress: clientAddress,
    after: { resetsAt: resetsAt.toISOString(), reason },
  })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your authenticator will be removed',
    paragraphs: [
      sentence('Our support was asked to remove the authenticator app from your account. It is removed on {time}.', {
        time: resetsAt,
      }),
      'If you still have it, use a code of it or a recovery code anywhere on our site, and nothing is removed.',
      "If you didn't request this, freeze your account and contact us immediately.",
    ],
    facts: [['Time', now]],
  })
  return resetsAt
}

/** Cancels a planned removal. @returns whether there was one. */
export async function cancelOtpReset(
  em: EntityManager,
  { user, actor, clientAddress }: { user: Pick<Owner, 'id' | 'email'>; actor: string; clientAddress?: string },
): Promise<boolean> {
  const cancelled = await query(em)
    .updateTable('users')
    .set({ otpResetsAt: null, otpResetBy: null })
    .where('id', '=', user.id)
    .where('otpResetsAt', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  if (!cancelled) return false
  await recordChange(em, { userId: user.id, keys: [otpStatus.path, getPerson.path] })
  recordAudit(em, {
    actor,
    action: 'otp.cancel_reset',
    target: user.email,
    ...(clientAddress !== undefined && { ipAddress: clientAddress }),
  })
  return true
}
