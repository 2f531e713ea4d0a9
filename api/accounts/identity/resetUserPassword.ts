import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { tellRemovedPasskeys } from './changePassword.ts'
import { replacePassword } from './replacePassword.ts'
import { holdWithdrawals } from '../users/holdWithdrawals.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import type { Clock } from '#api/platform/clock/Clock.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { userUnknown } from '../users/errors.ts'
import { notifyOwner } from '../inbox/notifyOwners.ts'

/** @throws 404 */
export async function requireUser(em: EntityManager, id: string): Promise<Owner> {
  const user = await query(em).selectFrom('users').select(['id', 'email', 'language']).where('id', '=', id).executeTakeFirst()
  if (!user) throw userUnknown()
  return user
}

export interface UserPasswordReset {
  user: Owner
  passwordHash: string
  /** The administrator, for the audit log. */
  actor: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Resets the password of a user for an administrator. Ends all sessions; withdrawals are on hold for a day. */
export async function resetUserPassword(
  em: EntityManager,
  services: MailServices & { clock: Pick<Clock, 'dueNow'> },
  { user, passwordHash, actor, clientAddress, now }: UserPasswordReset,
): Promise<void> {
  const replaced = await replacePassword(em, { user, passwordHash })
  await holdWithdrawals(em, { userId: user.id, now, dueNow: await services.clock.dueNow(em) })
  recordAudit(em, { actor, action: 'user.password_reset', target: user.email, ipAddress: clientAddress })
  await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    link: '/security',
    subject: 'Your password was reset',
    paragraphs: [
      'Support has set a temporary password for your account and will send it to you separately. You have been logged out everywhere. Please change it after you log in.',
      ...(replaced ? tellRemovedPasskeys(replaced) : []),
      'Withdrawals are on hold for the next 24 hours.',
      "If you didn't request this, contact us immediately.",
    ],
    facts: [['Time', now]],
  })
}
