import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/** Whether the public register publishes. One row, id 1. */
export const RegisterStateSchema = defineEntity({
  name: 'RegisterState',
  tableName: 'register_state',
  properties: {
    id: p.integer().primary().autoincrement(false),
    /** Why nothing is signed: an anchored root is not a prefix of the log. Null while the register may publish. */
    stoppedBecause: p.text().nullable(),
    stoppedAt: instantColumn().nullable(),
    /** The equation that was false at the last attempt, and the details for the operator; null if all were true. */
    heldEquation: p.string().length(2).nullable(),
    heldBecause: p.text().nullable(),
    /** When it was first false. All times are real time. */
    heldSince: instantColumn().nullable(),
    /** Why the newest roots are not anchored, although they should be; null if they are. The operator was told. */
    unanchoredBecause: p.text().nullable(),
    unanchoredSince: instantColumn().nullable(),
    /** The database in which the log was signed last (`identifyDatabase`). Null if that is unknown. */
    signedIn: p.text().nullable(),
  },
  checks: [{ name: 'register_state_one_row', expression: 'id = 1' }],
})

export class RegisterState extends RegisterStateSchema.class {}
RegisterStateSchema.setClass(RegisterState)
