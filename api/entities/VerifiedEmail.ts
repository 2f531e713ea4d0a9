import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** Records that a session has entered the code mailed to an address. `register` consumes it. */
export const VerifiedEmailSchema = defineEntity({
  name: 'VerifiedEmail',
  tableName: 'verified_emails',
  properties: {
    id: idColumn(),
    sessionKey: p.uuid().index(),
    email: p.string().length(254),
    expiresAt: instantColumn(),
    consumedAt: instantColumn().nullable(),
  },
})

export class VerifiedEmail extends VerifiedEmailSchema.class {}
VerifiedEmailSchema.setClass(VerifiedEmail)
