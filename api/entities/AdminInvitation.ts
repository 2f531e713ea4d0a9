import { defineEntity, p } from '@mikro-orm/postgresql'
import { adminRoles } from '#shared/adminRoles.ts'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'

/** The token of a mail with which somebody becomes an administrator. Only the mail contains it. */
export const AdminInvitationSchema = defineEntity({
  name: 'AdminInvitation',
  tableName: 'admin_invitations',
  properties: {
    id: idColumn(),
    email: p.string().length(254),
    role: p.enum(adminRoles),
    invitedBy: () => p.manyToOne(Administrator).ref().deleteRule('restrict'),
    /** SHA-256 of the token, in hex. */
    tokenHash: p.string().length(64).unique(),
    createdAt: instantColumn(),
    expiresAt: instantColumn(),
    /** A token works once. */
    acceptedAt: instantColumn().nullable(),
    revokedAt: instantColumn().nullable(),
  },
})

export class AdminInvitation extends AdminInvitationSchema.class {}
AdminInvitationSchema.setClass(AdminInvitation)
