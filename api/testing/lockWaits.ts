import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** The number of statements in this database that wait for a lock. @param matching what their text matches, as a regular expression. */
export async function countLockWaits({ orm }: { orm: Pick<MikroORM, 'em'> }, matching = ''): Promise<number> {
  const [row] = await sql<{ count: number }>(
    orm.em.fork(),
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query ~* $1`,
    [matching],
  )
  return row!.count
}

/** Waits until this many statements wait for a lock. */
export async function untilLockWaits(database: { orm: Pick<MikroORM, 'em'> }, count = 1): Promise<void> {
  while ((await countLockWaits(database)) < count);
}
