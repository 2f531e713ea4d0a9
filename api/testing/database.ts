import { MikroORM } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { prepareDatabase } from '#api/entities/prepareDatabase.ts'
import { OWNER, type RoleUrls, roleUrls } from '#api/dev/openRoles.ts'
import { jobs } from '#api/app/schedule.ts'
import type { Config } from '#api/platform/config.ts'
import { createRateLimiter } from '#api/platform/http/limitRate.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import type { Services } from '#api/platform/services.ts'
import { testConfig } from './testConfig.ts'

const migrations = path.join(import.meta.dirname, '../migrations')

/** The name contains a hash of the migrations and job names, so that a long-running server does not serve an old template. */
const TEMPLATE = `test_template_${createHash('sha256')
  .update(
    readdirSync(migrations)
      .map((file) => readFileSync(path.join(migrations, file), 'utf8'))
      .join('') + jobs.map(({ name }) => name).join(),
  )
  .digest('hex')
  .slice(0, 16)}`

/** Connected as the application's role, as in production. */
export interface TestDatabase extends RoleUrls {
  orm: MikroORM
  /** Connected as the superuser, for changes that the application may not make, such as damage for the audit. */
  superuser: MikroORM
  /** The services with connections that servers with this configuration share. */
  connections(config: Config): Partial<Pick<Services, 'orm' | 'jobs' | 'limits'>>
}

/** Creates a database for one test file and drops it after its tests. */
export function useDatabase(): TestDatabase {
  const database = {} as TestDatabase & { drop(): Promise<void> }
  beforeAll(async () => void Object.defineProperties(database, Object.getOwnPropertyDescriptors(await createDatabase())))
  afterAll(() => database.drop?.())
  return database
}

/** Creates a database as a copy of the migrated template, or an empty one. */
export async function createDatabase({ empty = false } = {}): Promise<TestDatabase & { drop(): Promise<void> }> {
  const name = newName()
  await withServer(async (server) => {
    if (empty) return void (await server.query(`create database ${name} owner ${OWNER}`))
    // Test files start concurrently. The first creates the template, the others wait for it.
    await server.query(`select pg_advisory_lock(1)`)
    await ensureTemplate(server)
    await server.query(copyOf(TEMPLATE, name))
    await server.query(`select pg_advisory_unlock(1)`)
  })
  return open(name)
}

/** Copies a database on the server. The original must have no connections. */
export async function copyDatabase(url: string): Promise<TestDatabase & { drop(): Promise<void> }> {
  const name = newName()
  await withServer((server) => server.query(copyOf(new URL(url).pathname.slice(1), name)))
  return open(name)
}

/** Copying the files takes half as long as writing every page to the log, because this server does not wait for the disk. */
const copyOf = (template: string, name: string): string =>
  `create database ${name} template ${template} owner ${OWNER} strategy file_copy`

const newName = (): string => `test_${crypto.randomUUID().replaceAll('-', '')}`

function open(name: string): TestDatabase & { drop(): Promise<void> } {
  const urls = roleUrls(urlOf(name))
  const orm = new MikroORM(ormOptions({ url: urls.url }))
  let superuser: MikroORM | undefined
  const errors: unknown[] = []
  const jobQueue = new JobQueue(urls.url, { onError: (error) => void errors.push(error) })
  const limits = createRateLimiter({ url: urls.url, production: false })
  return {
    ...urls,
    orm,
    connections(config) {
      const usual = testConfig({ DATABASE_URL: urls.url })
      const isUsual = (['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_POOL_SIZE'] as const).every(
        (name) => config[name] === usual[name],
      )
      if (!isUsual) return {}
      return { orm, jobs: jobQueue, ...(!config.RATE_LIMITS && !config.production && { limits }) }
    },
    get superuser() {
      return (superuser ??= new MikroORM(ormOptions({ url: urlOf(name), poolSize: 2 })))
    },
    async drop() {
      await jobQueue.stop()
      await limits.stop()
      await orm.close(true)
      await superuser?.close(true)
      // A pool ends before the server has closed its connections. The drop may cut them, which is no error of a test.
      const [error] = errors
      await withServer((server) => server.query(`drop database if exists ${name} with (force)`))
      if (error) throw error
    },
  }
}

async function ensureTemplate(server: pg.Client): Promise<void> {
  const { rowCount } = await server.query('select from pg_database where datname = $1', [TEMPLATE])
  if (rowCount) return
  await server.query(`create database ${TEMPLATE}_new owner ${OWNER}`)
  const { url, ownerUrl } = roleUrls(urlOf(`${TEMPLATE}_new`))
  const orm = new MikroORM(ormOptions({ url }))
  const config = testConfig({ DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl })
  await prepareDatabase(orm, { config, directUrl: url, jobNames: jobs.map((job) => job.name) })
  await orm.close(true)
  await server.query(`alter database ${TEMPLATE}_new rename to ${TEMPLATE}`)
}

const urlOf = (name: string): string => {
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  return url.href
}

async function withServer<T>(work: (server: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
