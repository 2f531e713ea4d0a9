import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminRole } from '#shared/adminRoles.ts'
import { query } from '#api/entities/tables.ts'
import { lockNamed, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'

/**
 * Held while administrators join, leave or change, and while a proposal is decided. So no address has two invitations, no name two
 * people, and nobody approves anything after losing the role for it. Taken before every other lock.
 */
export const lockAdministrators = (em: EntityManager): Promise<unknown> => lockUntilCommit(em, lockNamed('administrators'))

/** The names of the present owners. */
export async function readOwners(em: EntityManager): Promise<string[]> {
  const owners = await query(em)
    .selectFrom('administrators')
    .select('username')
    .where('role', '=', 'owner')
    .where('removedAt', 'is', null)
    .execute()
  return owners.map(({ username }) => username)
}

/** From the second owner on, what two persons decide about is only proposed. */
export const countOwners = async (em: EntityManager): Promise<number> => (await readOwners(em)).length

/** The present name and role of an administrator; undefined after the removal. */
export const readPresent = (em: EntityManager, id: string): Promise<{ username: string; role: AdminRole } | undefined> =>
  query(em)
    .selectFrom('administrators')
    .select(['username', 'role'])
    .where('id', '=', id)
    .where('removedAt', 'is', null)
    .executeTakeFirst()
