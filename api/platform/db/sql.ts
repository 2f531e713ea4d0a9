import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'

/**
 * Runs one statement given as text, in the transaction of `em` if one is open. For statements that typed queries cannot express,
 * or only too slowly (decisions/0026).
 *
 * Parameters are `$1`, `$2` … and are bound by the driver, arrays included; the ORM's own `execute` would interpolate them.
 * Amounts and times are returned as text.
 */
export async function sql<Row>(em: EntityManager, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  for (const row of rows) {
    for (const [name, value] of Object.entries(row as object)) {
      if (typeof value === 'bigint') Object.assign(row as object, { [name]: value.toString() })
      else if (value instanceof Date) Object.assign(row as object, { [name]: value.toISOString() })
    }
  }
  return rows
}

/** Rows per fetch of a cursor. */
const BATCH_SIZE = 250

interface StreamedQuery {
  text: string
  parameters?: readonly unknown[] | undefined
}

/**
 * Streams the rows of a query through a cursor, so that only a few hundred are in memory. All of them are of one snapshot, as is
 * what `prepare` reads. It holds a connection until it has been read to its end or is closed.
 */
export async function* streamRows<Row>(
  em: EntityManager,
  prepare: (reader: EntityManager) => Promise<StreamedQuery> | StreamedQuery,
): AsyncGenerator<Row> {
  const reader = em.fork()
  await reader.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
  try {
    const { text, parameters } = await prepare(reader)
    await sql(reader, `declare streamed no scroll cursor for ${text}`, parameters)
    for (;;) {
      const rows = await sql<Row>(reader, `fetch ${BATCH_SIZE} from streamed`)
      yield* rows
      if (rows.length < BATCH_SIZE) return
    }
  } finally {
    await reader.rollback()
  }
}

/** Makes the planner optimize the cursors of a transaction for their first rows instead of all of them. */
export const planForFirstRows = (reader: EntityManager) => sql(reader, 'set local cursor_tuple_fraction = 0.0001')
