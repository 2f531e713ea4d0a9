import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** The administrator of the back office, created at the first setup. */
export const AdministratorSchema = defineEntity({
  name: 'Administrator',
  tableName: 'administrators',
  properties: {
    id: idColumn(),
    username: p.string().length(100).unique(),
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
  },
})

export class Administrator extends AdministratorSchema.class {}
AdministratorSchema.setClass(Administrator)
