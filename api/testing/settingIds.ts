import { MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { TestDatabase } from './database.ts'

/** Gives the newest change of a setting the id of a machine whose clock is a minute ahead. */
export const setLastIdAhead = (database: TestDatabase): Promise<void> =>
  database.superuser.em.fork().transactional(async (em) => {
    // The table is append-only.
    await sql(em, 'set local session_replication_role = replica')
    await sql(
      em,
      `update setting_changes set id = overlay(id::text placing left(time, 8) || '-' || right(time, 4) from 1 for 13)::uuid
       from (select id as own, lpad(to_hex(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint + $1::bigint), 12, '0') as time
         from setting_changes order by id desc limit 1) last
       where id = own`,
      [MINUTE],
    )
  })
