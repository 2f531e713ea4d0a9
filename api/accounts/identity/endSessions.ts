import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/sessions.ts'
import { recordAudit } from '../auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import type { OwnSession } from './listSessions.ts'

/** Ends all other sessions of an account and their event streams. Returns the number of ended sessions. */
export async function endOtherSessions(
  em: EntityManager,
  { user, sessionKey, clientAddress }: { user: { id: string; email: string }; sessionKey: string; clientAddress: string },
): Promise<number> {
  const ended = await query(em)
    .deleteFrom('web_sessions')
    .where('realm', '=', 'user')
    .where('accountId', '=', user.id)
    .where('key', '<>', sessionKey)
    .returning('idHash')
    .execute()
  if (ended.length === 0) return 0
  recordAudit(em, {
    actor: `user:${user.email}`,
    action: 'sessions.end_others',
    target: user.email,
    ipAddress: clientAddress,
    after: { ended: ended.length },
  })
  await recordChange(em, { userId: user.id, keys: [contract.listSessions.path] })
  return ended.length
}

/**
 * Ends the session of the request. It is deleted before the notification, because notified streams check at once whether their
 * session still exists.
 */
export async function endOwnSession(em: EntityManager, { userId, sessionKey }: OwnSession): Promise<void> {
  await query(em)
    .deleteFrom('web_sessions')
    .where('realm', '=', 'user')
    .where('accountId', '=', userId)
    .where('key', '=', sessionKey)
    .execute()
  await recordChange(em, { userId, keys: [contract.listSessions.path] })
}
