import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/**
 * An authenticator code entered by a session. One purchase (within 30 minutes) or one withdrawal (within 10) consumes it by a
 * conditional UPDATE in the transaction of its effect.
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
    /** Set when enabling the authenticator: that code is accepted exactly once more in this session. */
    enabledWithStep: p.bigint('number').nullable(),
  },
  indexes: [{ properties: ['user', 'sessionKey', 'grantedAt'] }],
})

export class StepUpMark extends StepUpMarkSchema.class {}
StepUpMarkSchema.setClass(StepUpMark)
