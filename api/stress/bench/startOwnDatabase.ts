import pg from 'pg'
import { freePort } from '#api/dev/freePort.ts'
import { openRoles } from '#api/dev/openRoles.ts'
import { mainScript, type Parts } from './startParts.ts'
import { startProgram } from './startProgram.ts'

/** The web role on a separate database. */
export interface OwnDatabase {
  url: string
  port: number
  client: pg.Client
  /** The configuration of the web role. */
  env: Record<string, string>
  /** Stops the web role, which flushes its counters first. */
  stop(): Promise<void>
  /** Stops the web role and drops the database. */
  close(): Promise<void>
}

export async function startOwnDatabase({ database, postgres, webEnv }: Parts, name: string): Promise<OwnDatabase> {
  await database.query(`create database ${name}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  const roles = await openRoles(url.href)
  const port = await freePort()
  const env = { ...webEnv(port), DATABASE_URL: roles.url, DATABASE_OWNER_URL: roles.ownerUrl }
  // The first start creates the tables.
  const program = await startProgram(mainScript, ['web'], { env })
  const client = new pg.Client({ connectionString: url.href })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= program.stop())
  await client.connect()
  return {
    url: url.href,
    port,
    client,
    env,
    stop,
    async close() {
      await stop()
      await client.end()
      await database.query(`drop database ${name} with (force)`)
    },
  }
}
