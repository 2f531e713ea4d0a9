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
import { createRateLimiter, type RateLimiter } from '#api/platform/http/limitRate.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import type { Services } from '#api/platform/services.ts'
import { emptyDatabase, type Initial, POOL_NAME, readInitial } from './emptyDatabase.ts'
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
  /** Ends all connections. A test that goes on connects `orm` and `superuser` again. */
  disconnect(): Promise<void>
  /** The services with connections that servers with this configuration share. */
  connections(config: Config): Partial<Pick<Services, 'orm' | 'jobs' | 'limits'>>
}

/** Of a test that ends its use. */
export interface LentDatabase extends TestDatabase {
  /** Leaves it to the next test, or drops it if that would notice. */
  release(): Promise<void>
  drop(): Promise<void>
}

/** Creates a database for one test file and releases it after its tests. */
export function useDatabase(): TestDatabase {
  const database = {} as LentDatabase
  beforeAll(async () => void Object.defineProperties(database, Object.getOwnPropertyDescriptors(await createDatabase())))
  afterAll(() => database.release?.())
  return database
}

/**
 * Creates a database as a copy of the migrated template, or an empty one. A copy that an earlier test of this process no longer needs
 * serves again: its connections know its tables, which a new connection takes longer to read than most tests take.
 */
export async function createDatabase({ empty = false } = {}): Promise<LentDatabase> {
  if (empty) return lend(open(await create((name) => `create database ${name} owner ${OWNER}`)))
  return lend(unused.pop() ?? (await openCopy()))
}

/** Copies a database on the server, which ends the connections of the original. Those that the test itself opened must be closed. */
export async function copyDatabase(original: Pick<TestDatabase, 'url' | 'disconnect'>): Promise<LentDatabase> {
  await original.disconnect()
  return lend(open(await create((name) => copyOf(new URL(original.url).pathname.slice(1), name))))
}

/** Copying the files takes half as long as writing every page to the log, because this server does not wait for the disk. */
const copyOf = (template: string, name: string): string =>
  `create database ${name} template ${template} owner ${OWNER} strategy file_copy`

/** A database with the connections of the tests that use it one after another. */
interface Opened extends RoleUrls {
  name: string
  orm: MikroORM
  jobs: JobQueue
  limits: RateLimiter
  /** What the queue reported. */
  errors: unknown[]
  /** Connected as the superuser, once a test has used it. */
  superuser?: MikroORM
  /** For a database that can be used again. */
  renewal?: { pool: pg.Pool; initial: Initial }
}

/** The emptied databases of this process that no test uses. */
const unused: Opened[] = []

async function create(statement: (name: string) => string): Promise<string> {
  const name = `${inject('databasePrefix')}${crypto.randomUUID().replaceAll('-', '')}`
  await withServer((server) => server.query(statement(name)))
  return name
}

async function openCopy(): Promise<Opened> {
  await withServer(async (server) => {
    // Test files start concurrently. The first creates the template, the others wait for it.
    await server.query(`select pg_advisory_lock(1)`)
    await ensureTemplate(server)
  })
  const opened = open(await create((name) => copyOf(TEMPLATE, name)))
  const pool = new pg.Pool({ connectionString: urlOf(opened.name), application_name: POOL_NAME, max: 1, idleTimeoutMillis: 0 })
  pool.on('error', () => {})
  return { ...opened, renewal: { pool, initial: await readInitial(pool) } }
}

function open(name: string): Opened {
  const urls = roleUrls(urlOf(name))
  const pooled = asPool(urls.url)
  const errors: unknown[] = []
  return {
    name,
    ...urls,
    orm: new MikroORM(ormOptions({ url: pooled })),
    jobs: new JobQueue(pooled, {
      onError(error) {
        if (!isLate(error)) errors.push(error)
      },
    }),
    limits: createRateLimiter({ url: pooled, production: false }),
    errors,
  }
}

/** A process that computes for ten seconds on a busy machine is late for a connection. What the queue does by itself it then does again. */
const isLate = (error: unknown): boolean => error instanceof Error && error.message.includes('connection timeout')

const asPool = (url: string): string => `${url}?application_name=${encodeURIComponent(POOL_NAME)}`

/** Gives a database to a test. */
function lend(opened: Opened): LentDatabase {
  const { name, url, ownerUrl, orm, jobs, limits, errors, renewal } = opened
  let isReleased = false
  let ended: Promise<unknown> | undefined
  async function disconnect(): Promise<void> {
    await (ended ??= Promise.all([jobs.stop(), limits.stop(), renewal?.pool.end()]))
    await orm.close(true)
    await opened.superuser?.close(true)
  }
  async function drop(): Promise<void> {
    await disconnect()
    // A pool ends before the server has closed its connections. The drop may cut them, which is no error of a test.
    const [error] = errors
    await withServer((server) => server.query(`drop database if exists ${name} with (force)`))
    if (error) throw error
  }
  return {
    url,
    ownerUrl,
    orm,
    connections(config) {
      const usual = testConfig({ DATABASE_URL: url })
      const isUsual = (['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_POOL_SIZE'] as const).every(
        (name) => config[name] === usual[name],
      )
      if (!isUsual) return {}
      return { orm, jobs, ...(!config.RATE_LIMITS && !config.production && { limits }) }
    },
    get superuser() {
      return (opened.superuser ??= new MikroORM(ormOptions({ url: asPool(urlOf(name)), poolSize: 2 })))
    },
    disconnect,
    drop,
    async release() {
      if (isReleased) return
      isReleased = true
      // A test may have closed its connections.
      const isWhole = !ended && errors.length === 0 && (await orm.isConnected())
      if (renewal && isWhole && (await emptyDatabase(renewal.pool, renewal.initial))) unused.push(opened)
      else await drop()
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
