import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'

/**
 * Notes that payments are credited in this database.
 *
 * @returns false if it is restored. A copy of the server's files, as a standby or a base backup is one, counts as the same database.
 */
export async function claimDatabase(em: EntityManager): Promise<boolean> {
  const mark = await compareMark(em)
  if (mark === 'missing') await acceptDatabase(em)
  return mark !== 'foreign'
}

/**
 * Whether payments were last credited in another database, of which this is a restored dump, and no operator has said since what was
 * refunded after the dump (money.md 42).
 */
export const isRestored = async (em: EntityManager): Promise<boolean> => (await compareMark(em)) === 'foreign'

/** Whose mark is stored: this database's, another one's, or none, or that of an earlier release, which noted no table. */
async function compareMark(em: EntityManager): Promise<'own' | 'foreign' | 'missing'> {
  const { settledIn, settledTable } = await query(em)
    .selectFrom('chain_progress')
    .select(['settledIn', 'settledTable'])
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .executeTakeFirstOrThrow()
  if (settledIn === null) return 'missing'
  const mark = await readMark(em)
  if (settledIn !== mark.settledIn) return 'foreign'
  if (settledTable === null) return 'missing'
  return settledTable === mark.settledTable ? 'own' : 'foreign'
}

/** From now on, payments are credited in this database. */
export async function acceptDatabase(em: EntityManager): Promise<void> {
  const mark = await readMark(em)
  await query(em).updateTable('chain_progress').set(mark).where('chainId', '=', PAYMENT_CHAIN_ID).execute()
}

/** What identifies this database, in two columns, because the previous release knows only the first. */
async function readMark(em: EntityManager): Promise<{ settledIn: string; settledTable: string }> {
  const [server, database, table] = (await identifyDatabase(em, 'chain_progress')).split('/') as [string, string, string]
  return { settledIn: `${server}/${database}`, settledTable: table }
}

/**
 * Identifies a database by the numbers of the server, the database and one of its tables: `server/database/table`. A restored dump has at
 * least another table. `unknown` stands for the server's number if the provider does not let this role read it.
 */
export async function identifyDatabase(em: EntityManager, table: string): Promise<string> {
  const { mayRead } = await query(em)
    .selectNoFrom(sql<boolean>`has_function_privilege('pg_control_system()', 'execute')`.as('mayRead'))
    .executeTakeFirstOrThrow()
  const server = mayRead ? sql`(select system_identifier::text from pg_control_system())` : sql`'unknown'`
  const { database } = await query(em)
    .selectNoFrom(
      sql<string>`${server} || '/' || (select oid from pg_database where datname = current_database()) || '/' || ${table}::text::regclass::oid`.as(
        'database',
      ),
    )
    .executeTakeFirstOrThrow()
  return database
}
