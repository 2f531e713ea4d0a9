import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { prepareTables } from '#api/entities/prepareDatabase.ts'
import { jobs } from '#api/app/schedule.ts'
import { copyDatabase, createDatabase, type TestDatabase } from './database.ts'
import { findTool } from './findTool.ts'
import { onCleanup } from './onCleanup.ts'

type Restored = ReturnType<typeof createDatabase>

/**
 * Dumps a database with `pg_dump`, as the README describes. If the installed `pg_dump` is missing or older than the server, the server
 * copies the database instead (`copyDatabase`).
 *
 * @returns a function that restores the dump into a new database each time.
 */
export async function dumpDatabase(database: TestDatabase): Promise<() => Restored> {
  if (!(await canDump(database.url))) {
    const copy = await copyDatabase(database)
    onCleanup(() => copy.release())
    return () => copyDatabase(copy)
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dump-'))
  onCleanup(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'xcr.dump')
  execFileSync(findTool('pg_dump'), ['--format=custom', `--file=${file}`, database.ownerUrl])
  return async () => {
    const restored = await createDatabase({ empty: true })
    const options = ['--no-owner', '--no-privileges', '--exit-on-error', `--dbname=${restored.ownerUrl}`]
    execFileSync(findTool('pg_restore'), [...options, file])
    await prepareTables(restored.orm, { ownerUrl: restored.ownerUrl, jobNames: jobs.map(({ name }) => name) })
    return restored
  }
}

/** Whether the installed `pg_dump` can dump the server of a database. */
export const canDump = async (url: string): Promise<boolean> => (await majorOf(url)) <= clientMajor()

async function majorOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ major: number }>(`select current_setting('server_version_num')::int / 10000 as major`)
  await client.end()
  return rows[0]!.major
}

/** 0 if `pg_dump` is not installed. */
function clientMajor(): number {
  try {
    const version = execFileSync(findTool('pg_dump'), ['--version'], { encoding: 'utf8' })
    return Number(/(\d+)\.\d+/.exec(version)?.[1])
  } catch {
    return 0
  }
}
