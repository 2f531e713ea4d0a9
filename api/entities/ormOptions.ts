import { defineConfig, type Options } from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import path from 'node:path'
import { SECOND } from '#shared/dates.ts'
import { entities } from './all.ts'
import { columnTypes } from '#api/platform/db/columnTypes.ts'
import { releaseBroken } from '#api/platform/db/releaseBroken.ts'

export const migrationFolder = path.join(import.meta.dirname, '../migrations')

/** The ORM's configuration in all roles, commands and tests. */
export const ormOptions = ({ url, poolSize = 20 }: { url: string; poolSize?: number }): Options =>
  defineConfig({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    // A missing database is not created: the application lacks the right, and an empty one would hide the loss.
    ensureDatabase: false,
    pool: { min: 0, max: poolSize },
    // A longer wait for a connection fails with a 503 instead of hanging.
    driverOptions: { connectionTimeoutMillis: 10 * SECOND, types: columnTypes, onPoolCreated: releaseBroken },
    migrations: {
      path: migrationFolder,
      pathTs: migrationFolder,
      emit: 'ts',
      snapshot: true,
      snapshotName: '.snapshot',
      transactional: true,
      silent: true,
    },
    // Partitioned tables are not supported by the ORM's generator, so their migration is written by hand. So are the counting
    // triggers, which are statement-level.
    schemaGenerator: { skipTables: [/^(public\.)?(ledger_entries|distributions)(_|$)/], ignoreTriggers: true },
    // Every request and job forks its own; using the global one is an error rather than a leak between users.
    allowGlobalContext: false,
  })
