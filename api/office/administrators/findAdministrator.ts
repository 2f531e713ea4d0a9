import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** The administrator of a user name; without one, the only one there is. Undefined if there is none, or more than one to choose from. */
export async function findAdministrator(
  em: EntityManager,
  username: string | undefined,
): Promise<{ id: string; username: string } | undefined> {
  const found = await sql<{ id: string; username: string }>(
    em,
    'select id, username from administrators where $1::text is null or username = $1 limit 2',
    [username ?? null],
  )
  return found.length === 1 ? found[0] : undefined
}
