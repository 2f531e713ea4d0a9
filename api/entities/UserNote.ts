import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** What an administrator wrote down about an account, for other administrators. Append-only, enforced by the database. */
export const UserNoteSchema = defineEntity({
  name: 'UserNote',
  tableName: 'user_notes',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict'),
    /** The actor as in the audit log. */
    author: p.string().length(300),
    text: p.text(),
    /** Real time. */
    createdAt: instantColumn(),
  },
  indexes: [{ properties: ['user', 'createdAt'] }],
})

export class UserNote extends UserNoteSchema.class {}
UserNoteSchema.setClass(UserNote)
