import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'

/** A position in the write-ahead log, which both a primary and its standbys know. */
export type LogPosition = bigint

/** The end of the primary's log. @throws on a standby. */
export const readPosition = async (em: EntityManager): Promise<LogPosition> => (await read(em, 'pg_current_wal_insert_lsn()'))!

/** How far a server has replayed the log; on a primary its end. Undefined on a copy that does not follow one. */
export const readReplayed = (em: EntityManager): Promise<LogPosition | undefined> =>
  read(em, 'case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end')

async function read(em: EntityManager, expression: string): Promise<LogPosition | undefined> {
  const { position } = await em
    .getKysely()
    .selectNoFrom(sql<string | null>`${sql.raw(expression)}::text`.as('position'))
    .executeTakeFirstOrThrow()
  return position === null ? undefined : parsePosition(position)
}

/** PostgreSQL writes it as two hexadecimal halves: `16/B374D848`. */
function parsePosition(text: string): LogPosition {
  const [high, low] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
