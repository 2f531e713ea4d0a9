import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { AccountSession } from '#shared/contract/sessions.ts'
import { query } from '#api/entities/tables.ts'
import { describeDevice } from '../devices/describeDevice.ts'

export interface OwnSession {
  userId: string
  sessionKey: string
}

/** The sessions of an account, newest first. */
export async function listSessions(em: EntityManager, { userId, sessionKey }: OwnSession): Promise<AccountSession[]> {
  const sessions = await query(em)
    .selectFrom('web_sessions as s')
    .innerJoin('users as u', 'u.id', 's.accountId')
    .select(['s.key', 's.userAgent', 's.ipAddress', 's.lastSeenAt'])
    .where('s.realm', '=', 'user')
    .where('s.accountId', '=', userId)
    .whereRef('s.accountEpoch', '=', 'u.sessionEpoch')
    // An expired session is listed while its device still receives push messages.
    .where(({ or, exists, selectFrom, eb }) =>
      or([
        eb('s.expiresAt', '>', sql<Date>`now()`),
        exists(selectFrom('push_subscriptions as p').select('p.id').whereRef('p.sessionKey', '=', 's.key')),
      ]),
    )
    .orderBy((eb) => eb('s.key', '=', sessionKey), 'desc')
    .orderBy('s.lastSeenAt', 'desc')
    .execute()
  return sessions.map(({ key, userAgent, ipAddress, lastSeenAt }) => ({
    id: key,
    device: describeDevice(userAgent),
    ip: ipAddress,
    lastSeen: lastSeenAt,
    current: key === sessionKey,
  }))
}
