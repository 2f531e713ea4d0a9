import { type AliasedRawBuilder, sql } from 'kysely'

/**
 * Rows of our own as a table of a query, an array for each column, so that its text is the same however many there are. A column's name is
 * one word and no property of an entity in the query: the ORM would translate it.
 */
export function unnest<Alias extends string, Row extends Record<string, string | number | bigint | null>>(
  alias: Alias,
  columns: Record<keyof Row, 'uuid' | 'text' | 'int' | 'bigint' | 'numeric'>,
  rows: readonly Row[],
): AliasedRawBuilder<Row, Alias> {
  const names = Object.keys(columns)
  const arrays = Object.entries(columns).map(([name, type]) => sql`${rows.map((row) => row[name])}::${sql.raw(type)}[]`)
  return sql<Row>`unnest(${sql.join(arrays)})`.as<Alias>(sql`${sql.id(alias)}(${sql.join(names.map((name) => sql.id(name)))})`)
}
