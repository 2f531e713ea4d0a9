import { MikroORM } from '@mikro-orm/postgresql'
import { readdir } from 'node:fs/promises'
import { CompiledQuery, type DatabaseConnection, sql } from 'kysely'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Config } from '#api/platform/config.ts'
import { ConfigError } from '#api/platform/ConfigError.ts'
import { connectionOptions } from '#api/platform/db/connectionOptions.ts'
import { DatabaseClient } from '#api/platform/db/DatabaseClient.ts'
import { leaderRoles } from '#api/platform/db/leaderRoles.ts'
import { LOCK_TIMEOUT, retryForLocks } from '#api/platform/db/shortLocks.ts'
import { jobTablesVersion, prepareJobTables } from '#api/platform/jobs/JobQueue.ts'
import { migrationFolder, ormOptions } from './ormOptions.ts'
// SQL as text: asks PostgreSQL's catalogs, the list of migrations and the tables of pg-boss, which have no entities.
import { sql as sqlText } from '#api/platform/db/sql.ts'
import { query } from './tables.ts'
import { grantRights, HAS_RIGHTS, OWNS_TABLES } from './tableRights.ts'

export interface PrepareOptions {
  config: Pick<Config, 'TOTAL_NODE_SUPPLY' | 'DEPOSIT_ADDRESS' | 'DEPOSIT_START_BLOCK' | 'DATABASE_OWNER_URL' | 'production'>
  directUrl: string
  jobNames: readonly string[]
}

/**
 * Migrates the tables and inserts the rows that every installation needs. Concurrent starts wait for one another.
 *
 * @throws {ConfigError} if a setting of the database breaks the rules of money; in production also if the owner's URL is missing and there
 * is something to do, or if the application's role owns tables.
 */
export async function prepareDatabase(orm: MikroORM, options: PrepareOptions): Promise<void> {
  const { config, directUrl, jobNames } = options
  // Most starts find nothing to do, which one query determines instead of some forty.
  const { tables, rows } = await inspect(orm, options)
  if (!tables) {
    if (config.production && config.DATABASE_OWNER_URL === undefined)
      throw new ConfigError([
        'DATABASE_OWNER_URL is missing: the tables are not prepared for this release, and only their owner may do it. Set it here, or once for npm run admin -- migrate (README, Two roles)',
      ])
    await prepareTables(orm, { ownerUrl: config.DATABASE_OWNER_URL ?? directUrl, jobNames })
  }
  if (!tables || !rows) await insertFixedRows(orm, config)
  if (config.production) await refuseOwner(orm)
}

/** Migrates as the owner of the tables and grants the role of `orm` its rights. @returns the names of the applied migrations. */
export async function prepareTables(
  orm: MikroORM,
  { ownerUrl, jobNames }: { ownerUrl: string; jobNames: readonly string[] },
): Promise<string[]> {
  const [application] = await sqlText<{ role: string }>(orm.em.fork(), 'select current_user as role')
  const owner = new DatabaseClient(connectionOptions(ownerUrl))
  await owner.connect()
  try {
    await owner.query(`select pg_advisory_lock(hashtext('prepare-database'))`)
    const migrations = await migrate(ownerUrl)
    await prepareJobTables(ownerUrl, jobNames)
    const { rows } = await owner.query<{ role: string }>('select current_user as role')
    if (rows[0]!.role !== application!.role) await grantRights(owner, application!.role)
    await endDeadConnections(owner)
    return migrations
  } finally {
    await owner.end()
  }
}

const DEAD_CONNECTION_SETTINGS = [
  'tcp_keepalives_idle = 5',
  'tcp_keepalives_interval = 2',
  'tcp_keepalives_count = 3',
  // Also ends a client that reads nothing for so long, such as a backup that waits for its disk.
  `tcp_user_timeout = '60s'`,
  `idle_in_transaction_session_timeout = '5min'`,
]

/**
 * Makes the server end connections whose machine is gone. By default it notices after two hours, and until then an open transaction keeps its
 * locks, such as those on the leadership and the supply. Skipped for a role without the rights of the database's owner: a member of the
 * owner's role does not always inherit them.
 */
async function endDeadConnections(owner: DatabaseClient): Promise<void> {
  const { rows } = await owner.query<{ name: string; isOurs: boolean }>(
    `select quote_ident(datname) as name, pg_has_role(datdba, 'usage') as "isOurs" from pg_database where datname = current_database()`,
  )
  const { name, isOurs } = rows[0]!
  if (!isOurs) return
  for (const setting of DEAD_CONNECTION_SETTINGS) await owner.query(`alter database ${name} set ${setting}`)
}

/** Runs the missing migrations. While one waits for a table that is being read, the processes of the previous release go on using it. */
async function migrate(ownerUrl: string): Promise<string[]> {
  const orm = new MikroORM({
    ...ormOptions({ url: ownerUrl, poolSize: 2 }),
    onCreateConnection: async (connection) =>
      void (await (connection as DatabaseConnection).executeQuery(CompiledQuery.raw(`set lock_timeout = '${LOCK_TIMEOUT}'`))),
  })
  try {
    const missing = await orm.migrator.getPending()
    await retryForLocks(() => orm.migrator.up())
    return missing.map(({ name }) => name)
  } finally {
    await orm.close(true)
  }
}

/** In production the application's role must not be able to alter recorded history. */
async function refuseOwner(orm: MikroORM): Promise<void> {
  const [found] = await sqlText<{ role: string; owns: boolean }>(
    orm.em.fork(),
    `select current_user as role, ${OWNS_TABLES} as owns`,
  )
  if (found!.owns)
    throw new ConfigError([
      `DATABASE_URL must not be of a role that owns the tables, as ${found!.role} does: it could change the ledger. Rename it to be the owner, create another one for DATABASE_URL, and set DATABASE_OWNER_URL (README, Two roles)`,
    ])
}

type Subject = Pick<PrepareOptions, 'config' | 'jobNames'>

/** Whether every migration of this release is applied, possibly along with some of the next one, and the initial rows exist. */
export async function isPrepared(orm: MikroORM, subject: Subject): Promise<boolean> {
  const { tables, rows } = await inspect(orm, subject)
  return tables && rows
}

/** Checks the tables with their rights, and the rows that every installation needs. */
async function inspect(orm: MikroORM, { config, jobNames }: Subject): Promise<{ tables: boolean; rows: boolean }> {
  const files = await readdir(migrationFolder)
  const migrations = files.filter((file) => /^Migration\d+.*\.ts$/.test(file)).map((file) => file.replace('.ts', ''))
  const [found] = await sqlText<{ tables: boolean | null; rows: boolean | null }>(
    orm.em.fork(),
    `select (select array_agg(name::text) from mikro_orm_migrations) @> $1::text[]
         and (select version from pgboss.version) >= $2
         and (select array_agg(name) from pgboss.queue) @> $3::text[]
         and (${OWNS_TABLES} or ${HAS_RIGHTS}) as tables,
       exists (select from installation)
         and exists (select from supply)
         and (select array_agg(role) from leaderships) @> $4::text[]
         and exists (select from deposit_addresses where address = $5)
         and exists (select from chain_progress where chain_id = $6) as rows`,
    [migrations, jobTablesVersion(), jobNames, leaderRoles, config.DEPOSIT_ADDRESS, PAYMENT_CHAIN_ID],
  ).catch((error: unknown) => {
    if (isUnprepared(error)) return []
    throw error
  })
  return { tables: found?.tables === true, rows: found?.rows === true }
}

/** The error codes of a missing table and of missing rights. */
const isUnprepared = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['42P01', '42501'].includes(String(error.code))

async function insertFixedRows(orm: MikroORM, config: PrepareOptions['config']): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    const insert = query(em)
    const now = sql<Date>`now()`
    await insert
      .insertInto('installation')
      .values({ id: 1 })
      .onConflict((it) => it.doNothing())
      .execute()
    await insert
      .insertInto('supply')
      .values({ id: 1, total: config.TOTAL_NODE_SUPPLY })
      .onConflict((it) => it.doNothing())
      .execute()
    await insert
      .insertInto('leaderships')
      .values(leaderRoles.map((role) => ({ role })))
      .onConflict((it) => it.doNothing())
      .execute()
    await insert
      .insertInto('deposit_addresses')
      .values({ address: config.DEPOSIT_ADDRESS, addedAt: now })
      .onConflict((it) => it.doNothing())
      .execute()
    // Reading begins with the start block, so the block before it counts as verified.
    await insert
      .insertInto('chain_progress')
      .values({ chainId: PAYMENT_CHAIN_ID, verifiedNumber: config.DEPOSIT_START_BLOCK - 1n, updatedAt: now })
      .onConflict((it) => it.doNothing())
      .execute()
  })
}
