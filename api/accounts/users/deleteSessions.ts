import type { EntityManager } from '@mikro-orm/postgresql'
import { listSessions } from '#shared/contract/sessions.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'

/** Deletes all sessions of an account, and ends their event streams. */
export async function deleteSessions(em: EntityManager, userId: string): Promise<void> {
  await query(em).deleteFrom('web_sessions').where('realm', '=', 'user').where('accountId', '=', userId).execute()
  await recordChange(em, { userId, keys: [listSessions.path] })
}
