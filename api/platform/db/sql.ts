import type { EntityManager } from '@mikro-orm/postgresql'

interface Executor {
  executeQuery(query: {
    sql: string
    parameters: readonly unknown[]
    query: { kind: 'RawNode' }
    queryId: { queryId: string }
  }): Promise<{
    rows: unknown[]
  }>
}

/**
 * Runs one statement of our own on the connection of `em`: inside its transaction, if it has one open.
 *
 * Parameters are `$1`, `$2` … and are bound by the driver, arrays included; the ORM's own `execute` would write them into the text.
 * For the few hot paths where one statement does what the ORM does in hundreds.
 */
export async function sql<Row>(em: EntityManager, text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const executor = (em.getTransactionContext() ?? em.getConnection().getClient()) as unknown as Executor
  const result = await executor.executeQuery({ sql: text, parameters, query: { kind: 'RawNode' }, queryId: { queryId: 'sql' } })
  return result.rows as Row[]
}
