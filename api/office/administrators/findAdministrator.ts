import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** The administrator of a user name; without one, the only one there is. Undefined if there is none, or more than one to choose from. */
export async function findAdministrator(
  em: EntityManager,
  username: string | undefined,
): Promise<{ id: string; username: string } | undefined> {
  const found = await query(em)
    .selectFrom('administrators')
    .select(['id', 'username'])
    .$if(username !== undefined, (administrators) => administrators.where('username', '=', username!))
    .limit(2)
    .execute()
  return found.length === 1 ? found[0] : undefined
}
