import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** One run of the books' audit by the worker, for the back office's health card. */
export const AuditRunSchema = defineEntity({
  name: 'AuditRun',
  tableName: 'audit_runs',
  properties: {
    id: idColumn(),
    at: instantColumn().index(),
    /** Checks that could not be made, such as while a chain did not answer. */
    unchecked: p.json<string[]>(),
    /** A line for each difference found; empty when all is well. */
    differences: p.json<string[]>(),
  },
})

export class AuditRun extends AuditRunSchema.class {}
AuditRunSchema.setClass(AuditRun)
