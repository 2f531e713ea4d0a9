import type { EntityManager } from '@mikro-orm/postgresql'
import { CompiledQuery } from 'kysely'

/**
 * Runs one statement written as text, inside the transaction of `em` if it has one open. For what a typed query cannot say, or says too
 * slowly (decisions/0026).
 *
 * Parameters are `$1`, `$2` … and are bound by the driver, arrays included; the ORM's own `execute` would write them into the text.
 * Amounts and times come out as text.
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
