import type { EntityManager } from '@mikro-orm/postgresql'
// SQL as text: nearly every transaction writes it, and the entity, which names the user, comes after the platform.
import { sql } from '../db/sql.ts'

export interface Change {
  /** Whose open pages; everybody's if absent. */
  userId?: string
  /** Paths of the calls whose answers have changed. */
  keys: readonly string[]
}

/**
 * Tells open pages that answers have changed, once this transaction commits.
 *
 * A row rather than a NOTIFY: a transaction that notifies waits at its commit for every other one that does.
 */
export async function recordChange(em: EntityManager, { userId, keys }: Change): Promise<void> {
  await sql(em, 'insert into change_events (user_id, keys) values ($1, $2)', [userId ?? null, keys])
}

/** The same for many users at once. */
export async function recordChanges(
  em: EntityManager,
  { userIds, keys }: { userIds: readonly string[]; keys: readonly string[] },
): Promise<void> {
  if (userIds.length === 0) return
  await sql(em, 'insert into change_events (user_id, keys) select distinct id, $2::text[] from unnest($1::uuid[]) id', [
    userIds,
    keys,
  ])
}

/** Takes the oldest recorded changes out of the table, to publish them. */
export async function takeChanges(em: EntityManager, { limit }: { limit: number }): Promise<Change[]> {
  const rows = await sql<{ user_id: string | null; keys: string[] }>(
    em,
    'delete from change_events where id in (select id from change_events order by id limit $1) returning user_id, keys',
    [limit],
  )
  return rows.map(({ user_id, keys }) => ({ ...(user_id !== null && { userId: user_id }), keys }))
}
