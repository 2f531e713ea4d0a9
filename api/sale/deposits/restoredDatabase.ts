import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'

/**
 * Notes that payments are credited in this database.
 *
 * @returns false if they were last credited in another one, of which this is a restored dump, and no operator has said since what was
 * refunded after the dump (money.md 42). A copy of the server's files, as a standby or a base backup is one, counts as the same database.
 */
export async function claimDatabase(em: EntityManager): Promise<boolean> {
  const { settledIn } = await query(em)
    .selectFrom('chain_progress')
    .select('settledIn')
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .executeTakeFirstOrThrow()
  const identity = await identifyDatabase(em, 'chain_progress')
  if (identity === null || identity === settledIn) return true
  // A mark without the table is of an earlier release.
  const isSame = settledIn === null || settledIn === identity.slice(0, identity.lastIndexOf('/'))
  if (isSame) await acceptDatabase(em)
  return isSame
}

/** From now on, payments are credited in this database. */
export async function acceptDatabase(em: EntityManager): Promise<void> {
  const settledIn = await identifyDatabase(em, 'chain_progress')
  await query(em).updateTable('chain_progress').set({ settledIn }).where('chainId', '=', PAYMENT_CHAIN_ID).execute()
}

/**
 * The database, told by one of its tables. Restoring a dump makes another table, in most cases in another database, often on another server;
 * each has a number. Null if the provider does not tell its server's.
 */
export async function identifyDatabase(em: EntityManager, table: string): Promise<string | null> {
  const { mayRead } = await query(em)
    .selectNoFrom(sql<boolean>`has_function_privilege('pg_control_system()', 'execute')`.as('mayRead'))
    .executeTakeFirstOrThrow()
  if (!mayRead) return null
  const { database } = await query(em)
    .selectNoFrom(
      sql<string>`(select system_identifier from pg_control_system()) || '/' || (select oid from pg_database where datname = current_database()) || '/' || ${table}::text::regclass::oid`.as(
        'database',
      ),
    )
    .executeTakeFirstOrThrow()
  return database
}
