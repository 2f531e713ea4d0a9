import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/**
 * A session showed an authenticator code. One purchase (within 30 minutes) or one withdrawal (within 10) uses it up,
 * by one conditional UPDATE in the transaction of its effect.
 */
export const StepUpMarkSchema = defineEntity({
  name: 'StepUpMark',
  tableName: 'step_up_marks',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref(),
    sessionKey: p.uuid(),
    /** Real time. */
    grantedAt: instantColumn(),
    consumedAt: instantColumn().nullable(),
    /** Set by enabling: the enabling code is accepted once more in this session, and only once. */
    enabledWithStep: p.bigint('number').nullable(),
  },
  indexes: [{ properties: ['user', 'sessionKey', 'grantedAt'] }],
})

export class StepUpMark extends StepUpMarkSchema.class {}
StepUpMarkSchema.setClass(StepUpMark)
