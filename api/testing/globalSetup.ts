import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { createRoles } from '#api/dev/openRoles.ts'
import { startPostgres } from '#api/dev/startPostgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's connection to the PostgreSQL server on which tests create databases and roles. */
    databaseUrl: string
    /** Begins the names of the databases of this run. */
    databasePrefix: string
  }
}

/** Provides PostgreSQL: the server of TEST_DATABASE_URL, as its superuser, or a temporary one for this run. */
export default async function globalSetup(project: TestProject): Promise<() => Promise<void>> {
  const prefix = `test_${crypto.randomUUID().slice(0, 8)}_`
  project.provide('databasePrefix', prefix)
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    await createRoles(url)
    project.provide('databaseUrl', url)
    return () => dropDatabases(url, prefix)
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'test-postgres-'))
  const postgres = await startPostgres({ dataDir: path.join(folder, 'data'), unsafe: true })
  await createRoles(postgres.url)
  project.provide('databaseUrl', postgres.url)
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Drops the databases that tests left to later ones. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  const server = new pg.Client({ connectionString: url })
  await server.connect()
  const { rows } = await server.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [prefix],
  )
  for (const { name } of rows) await server.query(`drop database if exists ${name} with (force)`)
  await server.end()
}
