import { z } from 'zod'
import { adminRoles } from '../../adminRoles.ts'
import { email } from '../../email.ts'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint } from '../endpoint.ts'
import { rowId } from '../rowId.ts'
import { decisionBody, refusedProofs } from './proof.ts'

const done = z.object({ message: z.string() })
const role = z.enum(adminRoles)

const administratorRow = z.object({
  id: z.uuid(),
  username: z.string(),
  email: z.string().nullable(),
  role,
  /** What the login asks for after the password. */
  factors: z.array(z.enum(['code', 'passkey'])),
  createdAt: instant,
  /** When a session of theirs was last used; null if none is left. */
  lastSeenAt: instant.nullable(),
})
export type AdministratorRow = z.output<typeof administratorRow>

const invitationRow = z.object({ id: z.uuid(), email: z.string(), role, invitedBy: z.string(), expiresAt: instant })
export type InvitationRow = z.output<typeof invitationRow>

/** Those who may log in, and the invitations that are open. */
export const listAdministrators = endpoint({
  method: 'GET',
  path: '/api/admin/administrators',
  access: 'admin',
  roles: [],
  limit: 'none',
  response: z.object({ administrators: z.array(administratorRow), invitations: z.array(invitationRow) }),
})

/** Mails a link that works once, for three days. A new invitation of the same address replaces the one before. */
export const inviteAdministrator = endpoint({
  method: 'POST',
  path: '/api/admin/administrators/invitations',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'otp',
  body: decisionBody.extend({ email, role }),
  response: done,
  errors: ['email_taken', ...refusedProofs],
})

export const revokeInvitation = endpoint({
  method: 'POST',
  path: '/api/admin/administrators/invitations/:id/revoke',
  access: 'admin',
  roles: [],
  limit: 'none',
  params: z.object({ id: rowId }),
  response: done,
})

/** Takes effect with the next request of theirs. The last owner stays one. `replaces` is as for a setting. */
export const changeAdministrator = endpoint({
  method: 'PATCH',
  path: '/api/admin/administrators/:id',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'otp',
  params: z.object({ id: rowId }),
  body: decisionBody.extend({ role, replaces: role.optional() }),
  response: done,
  errors: ['last_owner', 'value_changed', ...refusedProofs],
})

/** Ends their sessions. The name stays taken, because the audit log has it. */
export const removeAdministrator = endpoint({
  method: 'POST',
  path: '/api/admin/administrators/:id/remove',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'otp',
  params: z.object({ id: rowId }),
  body: decisionBody,
  response: done,
  errors: ['last_owner', ...refusedProofs],
})

export const acceptInvitationPayload = z.object({
  token: z.string().min(1).max(100),
  username: z.string().trim().min(1, 'Please enter a username.').max(100, 'The username is too long.'),
  password: z.string().min(8, 'Password must be at least 8 characters long.').max(256, 'The password is too long.'),
})

/** Makes the caller an administrator, who then logs in. Open to every allowed IP address. */
export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/api/admin/invitations/accept',
  access: 'public',
  limit: 'admin_login_ip',
  body: acceptInvitationPayload,
  response: z.object({ message: z.string(), username: z.string(), role: openEnum(adminRoles) }),
  errors: ['invitation_invalid', 'ip_not_allowed', 'rate_limited', 'busy'],
})
