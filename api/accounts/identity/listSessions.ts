import type { EntityManager } from '@mikro-orm/postgresql'
import type { AccountSession } from '#shared/contract/sessions.ts'
import { sql } from '#api/platform/db/sql.ts'
import { describeDevice } from '../devices/describeDevice.ts'

export interface OwnSession {
  userId: string
  sessionKey: string
}

interface SessionRow {
  key: string
  user_agent: string | null
  ip_address: string | null
  last_seen_at: Date | string
}

/** Where an account is logged in, the latest first. */
export async function listSessions(em: EntityManager, { userId, sessionKey }: OwnSession): Promise<AccountSession[]> {
  const rows = await sql<SessionRow>(
    em,
    `select s.key, s.user_agent, s.ip_address, s.last_seen_at from web_sessions s join users u on u.id = s.account_id
     where s.realm = 'user' and s.account_id = $1 and s.account_epoch = u.session_epoch and s.expires_at > now()
     order by s.key = $2 desc, s.last_seen_at desc`,
    [userId, sessionKey],
  )
  return rows.map(({ key, user_agent, ip_address, last_seen_at }) => ({
    id: key,
    device: describeDevice(user_agent),
    ip: ip_address,
    lastSeen: new Date(last_seen_at),
    current: key === sessionKey,
  }))
}
