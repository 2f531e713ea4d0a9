import { MikroORM } from '@mikro-orm/postgresql'
import { readdir } from 'node:fs/promises'
import pg from 'pg'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Config } from '../config.ts'
import { leaderRoles } from '../entities/Leadership.ts'
import { jobTablesVersion, prepareJobTables } from '../jobs/JobQueue.ts'
import { migrationFolder, ormOptions } from './ormOptions.ts'
import { sql } from './sql.ts'

export interface PrepareOptions {
  config: Pick<Config, 'TOTAL_NODE_SUPPLY' | 'DEPOSIT_ADDRESS' | 'DEPOSIT_START_BLOCK'>
  directUrl: string
  jobNames: readonly string[]
}

/** Brings the tables up to date and puts in the rows every installation has. Roles that start together wait for one another. */
export async function prepareDatabase(orm: MikroORM, options: PrepareOptions): Promise<void> {
  // Nearly every start finds everything done: one question instead of some forty.
  if (await isPrepared(orm, options)) return
  const { config, directUrl, jobNames } = options
  const lock = new pg.Client({ connectionString: directUrl })
  await lock.connect()
  try {
    await lock.query(`select pg_advisory_lock(hashtext('prepare-database'))`)
    await migrate(orm, directUrl)
    await prepareJobTables(directUrl, jobNames)
    await insertFixedRows(orm, config)
  } finally {
    await lock.end()
  }
}

/** Over the direct connection: a pooler would give each statement another one. */
async function migrate(orm: MikroORM, directUrl: string): Promise<void> {
  if (orm.config.get('clientUrl') === directUrl) return void (await orm.migrator.up())
  const direct = new MikroORM(ormOptions({ url: directUrl, poolSize: 2 }))
  try {
    await direct.migrator.up()
  } finally {
    await direct.close(true)
  }
}

/** Whether there is nothing left to do: every migration of this release is done, and perhaps some of the next one. */
export async function isPrepared(
  orm: MikroORM,
  { config, jobNames }: Pick<PrepareOptions, 'config' | 'jobNames'>,
): Promise<boolean> {
  const files = await readdir(migrationFolder)
  const migrations = files.filter((file) => /^Migration\d+.*\.ts$/.test(file)).map((file) => file.replace('.ts', ''))
  const [found] = await sql<{ prepared: boolean }>(
    orm.em.fork(),
    `select (select array_agg(name::text) from mikro_orm_migrations) @> $1::text[]
       and (select version from pgboss.version) >= $2
       and (select array_agg(name) from pgboss.queue) @> $3::text[]
       and exists (select from installation)
       and exists (select from supply)
       and (select array_agg(role) from leaderships) @> $4::text[]
       and exists (select from deposit_addresses where address = $5)
       and exists (select from chain_progress where chain_id = $6) as prepared`,
    [migrations, jobTablesVersion(), jobNames, leaderRoles, config.DEPOSIT_ADDRESS, PAYMENT_CHAIN_ID],
  ).catch((error: unknown) => {
    if (isMissingTable(error)) return []
    throw error
  })
  return found?.prepared === true
}

const isMissingTable = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '42P01'

async function insertFixedRows(orm: MikroORM, config: PrepareOptions['config']): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    await sql(em, 'insert into installation (id) values (1) on conflict do nothing')
    await sql(em, 'insert into supply (id, total) values (1, $1) on conflict do nothing', [config.TOTAL_NODE_SUPPLY])
    await sql(em, 'insert into leaderships (role) select unnest($1::text[]) on conflict do nothing', [leaderRoles])
    await sql(em, 'insert into deposit_addresses (address, added_at) values ($1, now()) on conflict do nothing', [
      config.DEPOSIT_ADDRESS,
    ])
    // Reading begins with the start block itself: the one before it counts as verified.
    await sql(
      em,
      'insert into chain_progress (chain_id, verified_number, updated_at) values ($1, $2, now()) on conflict do nothing',
      [PAYMENT_CHAIN_ID, config.DEPOSIT_START_BLOCK - 1n],
    )
  })
}
