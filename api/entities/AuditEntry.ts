import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/** Who did what, when and from where. Append-only, enforced by the database. */
export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    id: idColumn(),
    at: instantColumn().index(),
    /** `admin:<username>`, `user:<email>`, `operator:<login name>`, `visitor` or `system`. */
    actor: p.string().length(300),
    ipAddress: p.string().length(45).nullable(),
    action: p.string().length(60),
    target: p.text().nullable(),
    before: p.json<unknown>().nullable(),
    after: p.json<unknown>().nullable(),
  },
  indexes: [
    { properties: ['action', 'at'] },
    // Of any length, which a tree does not take.
    { name: 'audit_entries_target', expression: 'create index audit_entries_target on audit_entries using hash (target)' },
    {
      name: 'audit_entries_actor_trigrams',
      expression: 'create index audit_entries_actor_trigrams on audit_entries using gin (actor gin_trgm_ops)',
    },
  ],
  triggers: [
    {
      name: 'audit_entries_append_only',
      timing: 'before',
      events: ['update', 'delete'],
      forEach: 'statement',
      body: `raise exception 'audit_entries is append-only' using errcode = 'restrict_violation'`,
    },
  ],
})

export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry)
