import { defineConfig, type Options } from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import path from 'node:path'
import type { Pool } from 'pg'
import { entities } from './all.ts'
import { connectionOptions } from '#api/platform/db/connectionOptions.ts'
import { readDatabaseUrl } from '#api/platform/db/databaseUrl.ts'
import { columnTypes } from '#api/platform/db/columnTypes.ts'
import { releaseBroken } from '#api/platform/db/releaseBroken.ts'

export const migrationFolder = path.join(import.meta.dirname, '../migrations')

interface OrmSettings {
  url: string
  poolSize?: number
  /** After this many milliseconds without an answer to a statement its connection is cut. */
  answerTimeout?: number | undefined
  /** Called with the pool when the first connection is opened. */
  onPoolCreated?: (pool: Pool) => void
}

/** The ORM's configuration in all roles, commands and tests. */
export const ormOptions = ({ url, poolSize = 20, answerTimeout, onPoolCreated }: OrmSettings): Options =>
  defineConfig({
    // The ORM reads only user and database from it. The driver gets the whole URL: several hosts, and the parameters of TLS.
    clientUrl: readDatabaseUrl(url).connectionString,
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    // A missing database is not created: the application lacks the right, and an empty one would hide the loss.
    ensureDatabase: false,
    pool: { min: 0, max: poolSize },
    driverOptions: {
      ...connectionOptions(url, answerTimeout === undefined ? {} : { answerTimeout }),
      types: columnTypes,
      onPoolCreated(pool: Pool) {
        releaseBroken(pool)
        onPoolCreated?.(pool)
      },
    },
    migrations: {
      path: migrationFolder,
      pathTs: migrationFolder,
      emit: 'ts',
      snapshot: true,
      snapshotName: '.snapshot',
      transactional: true,
      // Each in its own transaction, so that none keeps its locks while later ones run.
      allOrNothing: false,
      silent: true,
    },
    // Partitioned tables are not supported by the ORM's generator, so their migration is written by hand. So are the counting
    // triggers, which are statement-level.
    schemaGenerator: { skipTables: [/^(public\.)?(archived_)?(ledger_entries|distributions)(_|$)/], ignoreTriggers: true },
    // Every request and job forks its own; using the global one is an error rather than a leak between users.
    allowGlobalContext: false,
  })
