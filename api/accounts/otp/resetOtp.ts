import type { EntityManager } from '@mikro-orm/postgresql'
import { getPerson } from '#shared/contract/admin/person.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { deleteSessions } from '../users/deleteSessions.ts'
import { holdWithdrawals } from '../users/holdWithdrawals.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { clearOtp } from './clearOtp.ts'
import { TIME_STEP } from './findTimeStep.ts'
import { readOtpStatus } from './readOtpStatus.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

export interface OtpReset {
  user: Owner
  /** The administrator or operator, for the audit log. */
  actor: string
  /** Real time. */
  now: Date
}

/**
 * Removes a lost authenticator with its recovery codes and lock. Sessions end, so that nobody who has one sets up the next authenticator
 * before the owner. Withdrawals are on hold for a day.
 */
export async function resetOtp(
  em: EntityManager,
  services: MailServices & { clock: Pick<Clock, 'dueNow'> },
  { user, actor, now }: OtpReset,
): Promise<void> {
  const { frozen, ...removed } = await readRemoved(em, user.id)
  await clearOtp(em, { realm: 'user', id: user.id })
  await query(em).deleteFrom('step_up_marks').where('user', '=', user.id).where('consumedAt', 'is', null).execute()
  await query(em).deleteFrom('recovery_codes').where('user', '=', user.id).execute()
  await holdWithdrawals(em, { userId: user.id, now, dueNow: await services.clock.dueNow(em) })
  await deleteSessions(em, user.id)
  recordAudit(em, { actor, action: 'otp.reset', target: user.email, before: { ...removed, ...frozen }, after: frozen })
  await recordChange(em, { userId: user.id, keys: [otpStatus.path, getPerson.path] })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your authenticator was reset',
    paragraphs: [
      'The operator has removed the authenticator app from your account. You have been logged out everywhere. Set up a new one in Security Settings before you buy or withdraw.',
      'Withdrawals are on hold for the next 24 hours.',
      "If you didn't request this, change your password and contact us immediately.",
    ],
    facts: [['Time', now]],
  })
}

/**
 * Reads which authenticator a reset removes and when its holder last used it, and locks the account. A proposal of the reset is outdated
 * once one of these values has changed (decideProposal.ts): an owner who enters a code or a recovery code, enables another authenticator or
 * freezes the account has not lost the second factor.
 */
async function readRemoved(em: EntityManager, userId: string) {
  const { otpEnabledAt, otpLastStep, frozenAt, thawsAt } = await query(em)
    .selectFrom('users')
    .select(['otpEnabledAt', 'otpLastStep', 'frozenAt', 'thawsAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { recoveryCodesLeft } = await readOtpStatus(em, userId)
  return {
    enabledAt: otpEnabledAt?.toISOString() ?? null,
    lastCodeAt: otpLastStep === null ? null : new Date(otpLastStep * TIME_STEP).toISOString(),
    recoveryCodesLeft,
    frozen: { frozenAt: frozenAt?.toISOString() ?? null, thawsAt: thawsAt?.toISOString() ?? null },
  }
}
