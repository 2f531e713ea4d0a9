import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'

/** Rows per fetch of a cursor. */
const BATCH_SIZE = 250

interface Statement {
  text: string
  parameters?: readonly unknown[] | undefined
}

type Prepare<S> = (reader: EntityManager) => Promise<S> | S

/**
 * Streams the rows of a statement through a cursor, so that only a few hundred are in memory. All of them are of one snapshot, as is
 * what `prepare` reads. It holds a connection until it has been read to its end or is closed. Values are as the driver converts them.
 */
export async function* streamCursor<Row>(em: EntityManager, prepare: Prepare<Statement>): AsyncGenerator<Row> {
  const reader = em.fork()
  await reader.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
  try {
    yield* fetchRows<Row>(reader, await prepare(reader))
  } finally {
    await reader.rollback()
  }
}

/** Reads the rows of a statement through a cursor in the open transaction, one statement after the other. */
export async function* fetchRows<Row>(reader: EntityManager, { text, parameters = [] }: Statement): AsyncGenerator<Row> {
  const run = (text: string, parameters: readonly unknown[] = []) =>
    reader.getKysely().executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  await run(`declare streamed no scroll cursor for ${text}`, parameters)
  for (;;) {
    const { rows } = await run(`fetch ${BATCH_SIZE} from streamed`)
    yield* rows
    if (rows.length < BATCH_SIZE) break
  }
  await run('close streamed')
}

/**
 * Streams the rows of a typed query as `streamQuery` does, planned for its first rows instead of all of them: for queries whose order is
 * that of an index.
 */
export const streamInOrder = <Row>(em: EntityManager, prepare: Prepare<{ compile(): CompiledQuery<Row> }>): AsyncGenerator<Row> =>
  streamQuery<Row>(em, async (reader) => {
    await reader.getKysely().executeQuery(CompiledQuery.raw('set local cursor_tuple_fraction = 0.0001'))
    return prepare(reader)
  })

/** Streams the rows of a typed query. Every column needs an alias, because a cursor's columns have the names of the statement. */
export const streamQuery = <Row>(em: EntityManager, prepare: Prepare<{ compile(): CompiledQuery<Row> }>): AsyncGenerator<Row> =>
  streamCursor<Row>(em, async (reader) => {
    const { sql: text, parameters } = (await prepare(reader)).compile()
    return { text, parameters }
  })
