import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/**
 * Finds an administrator by user name; without a name, the only administrator. Undefined if there is none or the choice is
 * ambiguous.
 */
export async function findAdministrator(
  em: EntityManager,
  username: string | undefined,
): Promise<{ id: string; username: string } | undefined> {
  const found = await query(em)
    .selectFrom('administrators')
    .select(['id', 'username'])
    .where('removedAt', 'is', null)
    .$if(username !== undefined, (administrators) => administrators.where('username', '=', username!))
    .limit(2)
    .execute()
  return found.length === 1 ? found[0] : undefined
}
