import { defineEntity, p } from '@mikro-orm/postgresql'
import { adminRoles } from '#shared/adminRoles.ts'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** An administrator of the back office: the owner created at the first setup, or one who accepted an invitation. */
export const AdministratorSchema = defineEntity({
  name: 'Administrator',
  tableName: 'administrators',
  properties: {
    id: idColumn(),
    username: p.string().length(100).unique(),
    /** Null for the one of the setup, which asks for none. */
    email: p.string().length(254).nullable(),
    role: p.enum(adminRoles).default('owner'),
    passwordHash: p.text(),
    sessionEpoch: p.integer().default(0),

    /** As for users: encrypted, codes work once, and failures lock the account (money.md 34). */
    otpSecret: p.text().nullable(),
    otpEnabledAt: instantColumn().nullable(),
    otpLastStep: p.bigint('number').nullable(),
    otpFailures: p.integer().default(0),
    otpLockedUntil: instantColumn().nullable(),
    otpLocks: p.integer().default(0),

    createdAt: instantColumn(),
    /** Cannot log in since. The row stays, so that nobody else gets the name that the audit log knows. */
    removedAt: instantColumn().nullable(),
  },
})

export class Administrator extends AdministratorSchema.class {}
AdministratorSchema.setClass(Administrator)
