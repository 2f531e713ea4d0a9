import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserNote as Note } from '#shared/contract/admin/person.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { UserNote } from '#api/entities/UserNote.ts'
import { newId } from '#api/platform/db/newId.ts'

export interface NewNote {
  user: { id: string; email: string }
  text: string
  /** The administrator, as in the audit log. */
  author: string
  clientAddress: string
  /** Real time. */
  now: Date
}

/** Writes down something about an account, and records it. */
export function addNote(em: EntityManager, { user, text, author, clientAddress, now }: NewNote): Note {
  const note = { id: newId(), author, text, createdAt: now }
  em.create(UserNote, { ...note, userId: user.id })
  recordAudit(em, { actor: author, action: 'user.note', target: user.email, ipAddress: clientAddress, after: { note: text } })
  return note
}
