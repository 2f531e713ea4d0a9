import type { EntityManager } from '@mikro-orm/postgresql'
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
