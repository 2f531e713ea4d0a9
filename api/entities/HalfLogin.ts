import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'

/** An administrator's login between password and code. Allows only five attempts at a code within five minutes. */
export const HalfLoginSchema = defineEntity({
  name: 'HalfLogin',
  tableName: 'half_logins',
  properties: {
    id: idColumn(),
    administrator: () => p.manyToOne(Administrator).ref(),
    /** The account's epoch when the password was verified. */
    epoch: p.integer(),
    sessionKey: p.uuid().index(),
    expiresAt: instantColumn(),
    triesLeft: p.integer().default(5),
    consumedAt: instantColumn().nullable(),
  },
})

export class HalfLogin extends HalfLoginSchema.class {}
HalfLoginSchema.setClass(HalfLogin)
