import type { EntityManager } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import type { AdminRole } from '#shared/adminRoles.ts'
import { DAY } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { newId } from '#api/platform/db/newId.ts'
import { refusal } from '#api/platform/errors.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import { composeMail } from '#api/platform/mail/composeMail.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { queueMail } from '#api/platform/mail/queueMail.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'
import { lockAdministrators } from './lockAdministrators.ts'
import { tellOfAdministrators } from './tellOfAdministrators.ts'

/** How long the link of an invitation works, in real time. */
const LINK_LIFE = 3 * DAY

interface Invitation {
  email: string
  role: AdminRole
  invitedBy: { id: string; name: string }
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Mails a link that makes its recipient an administrator. Only the mail has the token, in the fragment, which browsers send to no
 * server. An open invitation of the same address ends.
 *
 * @throws 409 `email_taken` if an administrator has the address.
 */
export async function inviteAdministrator(
  em: EntityManager,
  { jobs, config }: MailServices,
  { email, role, invitedBy, clientAddress, now }: Invitation,
): Promise<void> {
  await lockAdministrators(em)
  const taken = await query(em)
    .selectFrom('administrators')
    .select('id')
    .where('email', '=', email)
    .where('removedAt', 'is', null)
    .executeTakeFirst()
  if (taken) throw refusal(409, 'email_taken', 'An administrator has this e-mail address already.')
  await query(em)
    .updateTable('admin_invitations')
    .set({ revokedAt: now })
    .where('email', '=', email)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .execute()
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + LINK_LIFE)
  await query(em)
    .insertInto('admin_invitations')
    .values({
      id: newId(),
      email,
      role,
      invitedBy: invitedBy.id,
      tokenHash: hashToken(token),
      createdAt: now,
      expiresAt,
    })
    .execute()
  await tellOfAdministrators(em)
  const brand = { brandName: config.BRAND_NAME, supportEmail: config.SUPPORT_EMAIL }
  await queueMail(
    em,
    jobs,
    composeMail(email, {
      ...brand,
      language: 'en',
      subject: `Join the back office of ${config.BRAND_NAME}`,
      paragraphs: [
        `${invitedBy.name} invites you to the back office of ${config.BRAND_NAME}, in the role “${role}”.`,
        'Choose a name and a password, then add a passkey or an authenticator in the settings.',
        'If you do not know what this is about, ignore this mail.',
      ],
      action: {
        label: 'Accept the invitation',
        address: `${siteUrl(config)}/admin1#invitation=${token}`,
        note: 'The link works once, for three days, from an address that the back office allows.',
      },
    }),
  )
  recordAudit(em, {
    actor: `admin:${invitedBy.name}`,
    action: 'admin.invite',
    target: email,
    ipAddress: clientAddress,
    after: { role, expiresAt: expiresAt.toISOString() },
  })
}
