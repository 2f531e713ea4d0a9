import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'

/** An administrator has shown the password and not yet the code. Worth nothing but five tries of a code, for five minutes. */
export const HalfLoginSchema = defineEntity({
  name: 'HalfLogin',
  tableName: 'half_logins',
  properties: {
    id: idColumn(),
    administrator: () => p.manyToOne(Administrator).ref(),
    /** The account's epoch when the password was shown. */
    epoch: p.integer(),
    sessionKey: p.uuid().index(),
    expiresAt: instantColumn(),
    triesLeft: p.integer().default(5),
    consumedAt: instantColumn().nullable(),
  },
})

export class HalfLogin extends HalfLoginSchema.class {}
HalfLoginSchema.setClass(HalfLogin)
