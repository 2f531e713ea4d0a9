import { defineConfig, type Options } from '@mikro-orm/postgresql'
import { Migrator } from '@mikro-orm/migrations'
import path from 'node:path'
import { SECOND } from '#shared/dates.ts'
import { entities } from './all.ts'
import { columnTypes } from '#api/platform/db/columnTypes.ts'
import { releaseBroken } from '#api/platform/db/releaseBroken.ts'

export const migrationFolder = path.join(import.meta.dirname, '../migrations')

/** How the ORM is set up, in every role, on the command line and in tests. */
export const ormOptions = ({ url, poolSize = 20 }: { url: string; poolSize?: number }): Options =>
  defineConfig({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    forceUtcTimezone: true,
    // A database that is away is not made anew: the application may not, and an empty one would hide the loss.
    ensureDatabase: false,
    pool: { min: 0, max: poolSize },
    // Whoever waits longer for a connection is told to come again, rather than never.
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
    // Partitioned, which the ORM's generator knows nothing of: their migration is written by hand.
    // So are the triggers that count rows: they see whole statements, for which its description of triggers has no word.
    schemaGenerator: { skipTables: [/^(public\.)?(ledger_entries|distributions)(_|$)/], ignoreTriggers: true },
    // Every request and job forks its own; a forgotten fork is an error rather than a leak between people.
    allowGlobalContext: false,
  })
