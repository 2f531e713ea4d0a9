import type { EntityManager } from '@mikro-orm/postgresql'
import type { LeaderRole } from '#api/platform/db/leaderRoles.ts'
import { query } from '#api/entities/tables.ts'
// SQL as text: reads PostgreSQL's catalog of locks, which has no entity.
import { sql } from '#api/platform/db/sql.ts'
import { check, type HealthSource } from './HealthSource.ts'

const led: Partial<Record<LeaderRole, string>> = {
  watcher: 'No process is reading the payment chain. Check that a watcher is running: `node api/main.ts watcher`.',
  payouts: 'No process is sending payouts. Check that a worker is running: `node api/main.ts worker`.',
}

/** The number of unpublished changes that counts as a backlog; they are published four times a second. */
const MAX_PENDING_CHANGES = 1_000

/** The roles that a process leads, and whether one does, by the locks that leaders hold in PostgreSQL (`lead`). */
export const readLeaders = (em: EntityManager): Promise<{ role: string; epoch: number; is_held: boolean }[]> =>
  sql(
    em,
    `select role, epoch, exists (
       select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())
         and classid::bigint = hashtext('leader')::bigint & 4294967295 and objid::bigint = hashtext(role)::bigint & 4294967295
     ) as is_held from leaderships where role = any($1)`,
    [Object.keys(led)],
  )

export function leaderHealth(): HealthSource {
  return async (em) => {
    const held = await readLeaders(em)
    const { count } = await query(em)
      .selectFrom((eb) =>
        eb
          .selectFrom('change_events')
          .select('id')
          .limit(MAX_PENDING_CHANGES + 1)
          .as('waiting'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return [
      ...Object.entries(led).map(([role, advice]) => {
        const leader = held.find((row) => row.role === role)
        const ok = leader?.is_held ?? false
        return check(`Leader: ${role}`, { ok, value: ok ? `active, term ${leader!.epoch}` : 'no leader', advice })
      }),
      check('Leader: notifier', {
        ok: count <= MAX_PENDING_CHANGES,
        value:
          count > MAX_PENDING_CHANGES
            ? `more than ${MAX_PENDING_CHANGES} changes waiting to reach open pages`
            : `${count} changes waiting to reach open pages`,
        advice: 'Open pages do not show changes until they are reloaded. Check that a worker is running.',
      }),
    ]
  }
}
