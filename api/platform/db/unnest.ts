import { type AliasedRawBuilder, sql } from 'kysely'

/**
 * Given rows as a table in a query, one array per column, so that the query's text does not depend on their number. Column names
 * must be single words that are not entity properties in the query, because the ORM would translate them.
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
