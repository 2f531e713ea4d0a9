import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** The mark of a session that has shown the mailed code of an address. `register` uses it up. */
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
