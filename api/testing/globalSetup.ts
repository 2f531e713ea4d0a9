import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { createRoles } from '#api/dev/openRoles.ts'
import { startPostgres } from '#api/dev/startPostgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's connection to the PostgreSQL server on which tests create databases and roles. */
    databaseUrl: string
  }
}

/** Provides PostgreSQL: the server of TEST_DATABASE_URL, as its superuser, or a temporary one for this run. */
export default async function globalSetup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_DATABASE_URL) {
    await createRoles(process.env.TEST_DATABASE_URL)
    project.provide('databaseUrl', process.env.TEST_DATABASE_URL)
    return undefined
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
