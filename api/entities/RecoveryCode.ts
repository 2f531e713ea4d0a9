import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** One of ten single-use codes that replace the authenticator. New codes replace all earlier ones. */
export const RecoveryCodeSchema = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    codeHash: p.string().length(64),
    createdAt: instantColumn(),
    usedAt: instantColumn().nullable(),
  },
  uniques: [{ properties: ['user', 'codeHash'] }],
})

export class RecoveryCode extends RecoveryCodeSchema.class {}
RecoveryCodeSchema.setClass(RecoveryCode)
