import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** When this administrator's session began; every login begins a new session. */
export async function readLoginTime(
  em: EntityManager,
  { administratorId, sessionKey }: { administratorId: string; sessionKey: string },
): Promise<Date | null> {
  const session = await query(em)
    .selectFrom('web_sessions')
    .select('createdAt')
    .where('accountId', '=', administratorId)
    .where('realm', '=', 'admin')
    .where('key', '=', sessionKey)
    .executeTakeFirst()
  return session?.createdAt ?? null
}
