import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'

/**
 * What an administrator wrote down about an account, for other administrators. Append-only, enforced by the database. Like the
 * ledger without a foreign key to users.
 */
export const UserNoteSchema = defineEntity({
  name: 'UserNote',
  tableName: 'user_notes',
  properties: {
    id: idColumn(),
    userId: p.uuid(),
    /** The actor as in the audit log. */
    author: p.string().length(300),
    text: p.text(),
    /** Real time. */
    createdAt: instantColumn(),
  },
  indexes: [{ properties: ['userId', 'createdAt'] }],
})

export class UserNote extends UserNoteSchema.class {}
UserNoteSchema.setClass(UserNote)
