import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'
import { streamCursor } from './streamQuery.ts'

/**
 * Runs one statement given as text, in the transaction of `em` if one is open. For statements that typed queries cannot express,
 * or only too slowly (decisions/0026).
 *
 * Parameters are `$1`, `$2` … and are bound by the driver, arrays included; the ORM's own `execute` would interpolate them.
 * Amounts and times are returned as text.
 */
export async function sql<Row>(em: EntityManager, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  for (const row of rows) asText(row as object)
  return rows
}

function asText(row: object): object {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'bigint') Object.assign(row, { [name]: value.toString() })
    else if (value instanceof Date) Object.assign(row, { [name]: value.toISOString() })
  }
  return row
}

/** Streams the rows of a statement through a cursor, as `streamCursor` does. Amounts and times are returned as text. */
export async function* streamRows<Row>(em: EntityManager, prepare: Parameters<typeof streamCursor>[1]): AsyncGenerator<Row> {
  for await (const row of streamCursor<object>(em, prepare)) yield asText(row) as Row
}

/** Makes the planner optimize the cursors of a transaction for their first rows instead of all of them. */
export const planForFirstRows = (reader: EntityManager) => sql(reader, 'set local cursor_tuple_fraction = 0.0001')
