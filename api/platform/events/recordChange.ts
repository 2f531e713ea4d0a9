import type { EntityManager } from '@mikro-orm/postgresql'
// SQL as text: nearly every transaction runs it, and the platform must not import the entity, which refers to the user.
import { sql } from '../db/sql.ts'

export interface Change {
  /** The account whose open pages are notified; all open pages if absent. */
  userId?: string
  /** Paths of the endpoints whose responses have changed. Those of the back office go to its open pages in any case. */
  keys: readonly string[]
}

/**
 * Notifies open pages of changed responses when this transaction commits.
 *
 * It inserts a row instead of calling NOTIFY: a transaction that notifies waits at its commit for every other one that does.
 */
export async function recordChange(em: EntityManager, { userId, keys }: Change): Promise<void> {
  await sql(em, 'insert into change_events (user_id, keys) values ($1, $2)', [userId ?? null, keys])
}

/** Does the same for many users in one statement. */
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

/** Whether any change waits for publication. */
export async function hasChanges(em: EntityManager): Promise<boolean> {
  const waiting = await sql(em, 'select id from change_events order by id limit 1')
  return waiting.length > 0
}

/** Deletes and returns the oldest recorded changes, for publication. */
export async function takeChanges(em: EntityManager, { limit }: { limit: number }): Promise<Change[]> {
  const rows = await sql<{ user_id: string | null; keys: string[] }>(
    em,
    'delete from change_events where id in (select id from change_events order by id limit $1) returning user_id, keys',
    [limit],
  )
  return rows.map(({ user_id, keys }) => ({ ...(user_id !== null && { userId: user_id }), keys }))
}
