import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** When this administrator's session began: a login always begins a new one. */
export async function readLoginTime(
  em: EntityManager,
  { administratorId, sessionKey }: { administratorId: string; sessionKey: string },
): Promise<Date | null> {
  const [session] = await sql<{ created_at: Date | string }>(
    em,
    `select created_at from web_sessions where account_id = $1 and realm = 'admin' and key = $2`,
    [administratorId, sessionKey],
  )
  return session ? new Date(session.created_at) : null
}
