import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/** An entry of the public register's log (integrity/register/format.md). Stored with its checkpoint in one transaction; append-only. */
export const RegisterEntrySchema = defineEntity({
  name: 'RegisterEntry',
  tableName: 'register_entries',
  properties: {
    /** Its position in the log, from 0 on without a gap. */
    index: p.integer().primary().autoincrement(false),
    kind: p.string().length(20),
    /** Its bytes, which are ASCII. */
    text: p.text(),
    /** 32 bytes. */
    leafHash: p.blob(),
    /** The fact that it publishes, such as `decision:<id>`. Each fact is published once. */
    subject: p.text().nullable().unique(),
    /** Deposits and payouts: the identity in the format; the last entry of an identity is current. */
    identity: p.text().nullable(),
    /** The account whose key its last line commits to. */
    userId: p.uuid().nullable(),
    /** Real time. */
    appendedAt: instantColumn(),
  },
  indexes: [
    {
      name: 'register_entries_identity',
      expression: 'create index register_entries_identity on register_entries (identity, index) where identity is not null',
    },
    {
      name: 'register_entries_user',
      expression: 'create index register_entries_user on register_entries (user_id, index) where user_id is not null',
    },
    { name: 'register_entries_kind', expression: 'create index register_entries_kind on register_entries (kind, index)' },
  ],
})

export class RegisterEntry extends RegisterEntrySchema.class {}
RegisterEntrySchema.setClass(RegisterEntry)
