import type { EntityManager } from '@mikro-orm/postgresql'
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
