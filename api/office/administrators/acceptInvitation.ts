import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminRole } from '#shared/adminRoles.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { query } from '#api/entities/tables.ts'
import { newId } from '#api/platform/db/newId.ts'
import { refusal } from '#api/platform/errors.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import { mailOperator, type OperatorServices } from '#api/platform/mail/mailOperator.ts'
import { lockAdministrators } from './lockAdministrators.ts'
import { requireFreeName } from './requireFreeName.ts'
import { tellOfAdministrators } from './tellOfAdministrators.ts'

const invalid = () =>
  refusal(410, 'invitation_invalid', 'This invitation has expired, was used or was withdrawn. Ask for a new one.')

/** @throws 410 `invitation_invalid` unless the link still works. */
export async function requireInvitation(em: EntityManager, { token, now }: { token: string; now: Date }): Promise<void> {
  const open = await openInvitation(em, { token, now }).select('i.id').executeTakeFirst()
  if (!open) throw invalid()
}

export interface Acceptance {
  token: string
  username: string
  passwordHash: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Makes the invited person an administrator. Each link works once. The role is that of the invitation, if an
 * owner still vouches for it: an administrator who was removed invites nobody.
 *
 * @throws 410 `invitation_invalid`, or 400 if the name is not free.
 */
export async function acceptInvitation(
  em: EntityManager,
  services: OperatorServices,
  { token, username, passwordHash, clientAddress, now }: Acceptance,
): Promise<{ username: string; role: AdminRole }> {
  await lockAdministrators(em)
  const invitation = await openInvitation(em, { token, now })
    .select(['i.id', 'i.email', 'i.role', 'a.username as invitedBy'])
    .forUpdate()
    .executeTakeFirst()
  if (!invitation) throw invalid()
  const { email, role, invitedBy } = invitation
  await requireFreeName(em, username)
  await query(em).updateTable('admin_invitations').set({ acceptedAt: now }).where('id', '=', invitation.id).execute()
  await tellOfAdministrators(em)
  em.create(Administrator, { id: newId(), username, email, role, passwordHash, createdAt: now })
  recordAudit(em, {
    actor: `admin:${username}`,
    action: 'admin.join',
    target: email,
    ipAddress: clientAddress,
    after: { username, role, invitedBy },
  })
  await mailOperator(em, services, {
    subject: 'A new administrator',
    paragraphs: [`${username} (${email}) has joined the back office in the role “${role}”, invited by ${invitedBy}.`],
    facts: [['IP address', clientAddress]],
  })
  return { username, role }
}

const openInvitation = (em: EntityManager, { token, now }: { token: string; now: Date }) =>
  query(em)
    .selectFrom('admin_invitations as i')
    .innerJoin('administrators as a', 'a.id', 'i.invitedBy')
    .where('i.tokenHash', '=', hashToken(token))
    .where('i.acceptedAt', 'is', null)
    .where('i.revokedAt', 'is', null)
    .where('i.expiresAt', '>', now)
    .where('a.role', '=', 'owner')
    .where('a.removedAt', 'is', null)
