import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** One run of the integrity checks, by the worker or by the command that reads everything, for the back office's health tab. */
export const AuditRunSchema = defineEntity({
  name: 'AuditRun',
  tableName: 'audit_runs',
  properties: {
    id: idColumn(),
    at: instantColumn().index(),
    /** Checks that could not run, for example because a chain did not answer. */
    unchecked: p.json<string[]>(),
    /** One line per difference found; empty if there are none. */
    differences: p.json<string[]>(),
    /** Whether it read the rows of archived months and every block. The worker's does not. */
    isFull: p.boolean().default(false),
  },
})

export class AuditRun extends AuditRunSchema.class {}
AuditRunSchema.setClass(AuditRun)
