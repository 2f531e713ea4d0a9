import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from '#api/dev/startPostgres.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeCertificates } from '#api/testing/makeCertificates.ts'
import { startDatabaseProxy } from '#api/testing/startDatabaseProxy.ts'
import { startPair } from '#api/testing/startPair.ts'
import { hasTool } from '#api/testing/findTool.ts'
import { onCleanup, useShared } from '#api/testing/onCleanup.ts'
import { connectionOptions } from './connectionOptions.ts'
import { DatabaseClient, OutcomeUnknown } from './DatabaseClient.ts'
import { isUnavailable } from './isUnavailable.ts'
import { listen } from './listen.ts'
import { newId } from './newId.ts'
import { sql } from './sql.ts'

const database = useDatabase()

function openOrm(url: string, options: { answerTimeout?: number } = {}): MikroORM {
  const orm = new MikroORM(ormOptions({ url, poolSize: 2, ...options }))
  onTestFinished(() => orm.close(true))
  return orm
}

async function openClient(url: string, options: { answerTimeout?: number } = {}): Promise<DatabaseClient> {
  const client = new DatabaseClient(connectionOptions(url, options))
  onTestFinished(() => client.end())
  await client.connect()
  return client
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a connection that breaks', () => {
  /** Writes one row in a transaction through a proxy. */
  async function setup() {
    const proxy = await startDatabaseProxy(database.url)
    const orm = openOrm(proxy.url)
    const key = newId()
    const write = () =>
      orm.em
        .fork()
        .transactional((em) =>
          sql(
            em,
            `insert into idempotency_keys (account_id, endpoint, key, body_hash, response, created_at) values ($1, '', '', '', '{}', now())`,
            [key],
          ),
        )
    const isWritten = async () => {
      const rows = await sql(database.orm.em.fork(), 'select from idempotency_keys where account_id = $1', [key])
      return rows.length > 0
    }
    return { proxy, orm, write, isWritten }
  }

  test.for([
    { at: 'begin', moment: 'before', writes: false, unknown: false },
    { at: 'begin', moment: 'after', writes: false, unknown: false },
    { at: 'insert into', moment: 'before', writes: false, unknown: false },
    { at: 'insert into', moment: 'after', writes: false, unknown: false },
    { at: 'commit', moment: 'before', writes: false, unknown: true },
    { at: 'commit', moment: 'after', writes: true, unknown: true },
  ] as const)(
    '$moment the answer to "$at" fails as unavailable (outcome unknown: $unknown), and the pool goes on',
    async ({ at, moment, writes, unknown }) => {
      const { proxy, orm, write, isWritten } = await setup()
      proxy.breakAt(at, moment)

      const error = await errorOf(write())

      expect(isUnavailable(error)).toBe(true)
      expect(causesOf(error).some((cause) => cause instanceof OutcomeUnknown)).toBe(unknown)
      await expect.poll(isWritten).toBe(writes)
      expect(await sql(orm.em.fork(), 'select 1 as one')).toEqual([{ one: 1 }])
    },
  )
})

function causesOf(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

describe('a commit whose wait for the standby is cut short', () => {
  const server = useShared(async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'standby-'))
    onCleanup(() => rmSync(folder, { recursive: true, force: true }))
    chmodSync(folder, 0o711)
    const primary = await startPostgres({ dataDir: path.join(folder, 'data') })
    onCleanup(() => primary.stop())
    const admin = new DatabaseClient(connectionOptions(primary.url))
    onCleanup(() => admin.end())
    await admin.connect()
    await admin.query('create table things (name text)')
    await admin.query(`alter system set synchronous_standby_names = 'nobody'`)
    await admin.query('select pg_reload_conf()')
    await admin.query('set synchronous_commit = local')
    return { url: primary.url, admin }
  })

  /** Ends the waits of all other connections. The server then answers that it has committed. */
  const endWaits = async () => {
    const waiting = () =>
      server.admin.query(`select pid from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()`)
    await expect.poll(async () => (await waiting()).rowCount).toBe(1)
    for (const { pid } of (await waiting()).rows as { pid: number }[])
      await server.admin.query('select pg_cancel_backend($1)', [pid])
  }

  test('has an unknown outcome, though the server answers that it is done', async () => {
    const orm = openOrm(server.url)
    const committing = errorOf(orm.em.fork().transactional((em) => sql(em, `insert into things values ('one')`)))
    await endWaits()
    const error = await committing
    expect(causesOf(error).some((cause) => cause instanceof OutcomeUnknown)).toBe(true)
    expect(isUnavailable(error)).toBe(true)
    // It is there, but on no standby.
    expect((await server.admin.query('select from things')).rowCount).toBe(1)
  })

  test('the same holds without a transaction, and through a pool', async () => {
    const pool = new pg.Pool({ ...connectionOptions(server.url), max: 1 })
    // Its end does not wait for the goodbye of its connection, and the server is stopped right after.
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    const writing = errorOf(pool.query(`insert into things values ('two')`))
    await endWaits()
    expect(await writing).toBeInstanceOf(OutcomeUnknown)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })
})

test('a server that does not answer is given up, and the pool recovers', async () => {
  const proxy = await startDatabaseProxy(database.url)
  const orm = openOrm(proxy.url, { answerTimeout: 500 })
  await sql(orm.em.fork(), 'select 1')
  proxy.freeze()
  expect(isUnavailable(await errorOf(sql(orm.em.fork(), 'select 1')))).toBe(true)
  proxy.thaw()
  expect(await sql(orm.em.fork(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test.each([{ code: 'EHOSTUNREACH' }, { code: 'ENETUNREACH' }, { message: 'timeout expired' }])(
  'a machine that cannot be reached (%o) is an outage',
  (error) => {
    expect(isUnavailable(Object.assign(new Error('connect failed'), error))).toBe(true)
  },
)

test('a server with a full disk, which refuses connections with an internal error, is an outage', async () => {
  const fields = ['SFATAL', 'VFATAL', 'CXX000', 'Mcould not write init file', ''].map((field) => `${field}\0`).join('')
  const refusal = Buffer.from(`E\0\0\0${String.fromCharCode(fields.length + 4)}${fields}`, 'latin1')
  const server = createServer((socket) => socket.once('data', () => socket.end(refusal)))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const error = await errorOf(sql(openOrm(`postgres://postgres@127.0.0.1:${port}/postgres`).em.fork(), 'select 1'))
  expect(causesOf(error)).toContainEqual(expect.objectContaining({ message: 'could not write init file' }))
  expect(isUnavailable(error)).toBe(true)
})

describe('with several hosts', () => {
  const pair = useShared(startPair)
  const hostOf = (url: string) => new URL(url).host
  const listed = (first: string, second: string, parameters = '') =>
    `postgres://postgres:postgres@127.0.0.1:1,${hostOf(first)},${hostOf(second)}/postgres${parameters}`

  test('the primary is used, wherever it is in the list, and a standby if one is asked for', async () => {
    const { primary, replica } = pair
    const portOf = async (url: string) => {
      const { rows } = await (await openClient(url)).query<{ port: string }>('show port')
      return Number(rows[0]!.port)
    }
    expect(await portOf(listed(replica.url, primary.url))).toBe(primary.port)
    expect(await portOf(listed(primary.url, replica.url))).toBe(primary.port)
    expect(await portOf(listed(primary.url, replica.url, '?target_session_attrs=standby'))).toBe(replica.port)
  })

  test('a promoted standby is found after the primary has stopped, by pools and listeners too', async () => {
    const { primary, replica } = pair
    const url = listed(primary.url, replica.url)
    const orm = openOrm(url)
    const connects = vi.spyOn(DatabaseClient.prototype, 'connect')
    onTestFinished(() => connects.mockRestore())
    const heard: string[] = []
    const onConnect = vi.fn()
    const listener = listen(url, 'news', { onMessage: (news) => heard.push(news), onConnect })
    onTestFinished(() => listener.stop())
    await expect.poll(() => onConnect).toHaveBeenCalled()
    /** How often the listener found no primary. Pools connect with a callback. */
    const failures = () =>
      connects.mock.settledResults.filter(({ type }, call) => type === 'rejected' && !connects.mock.calls[call]![0]).length
    const write = () => sql(orm.em.fork(), 'create table if not exists promoted ()').then(() => 'written', isUnavailable)
    expect(await write()).toBe('written')

    await primary.stop()
    expect(await write()).toBe(true)
    await expect.poll(failures).toBeGreaterThan(0)
    await (await openClient(replica.url)).query('select pg_promote()')

    await expect.poll(write).toBe('written')
    const notify = () => sql(orm.em.fork(), `notify news, 'promoted'`)
    await expect.poll(() => notify().then(() => heard)).toContain('promoted')
  })
})

test('a write that reaches a standby is refused as unavailable, and the next one asks for a connection anew', async () => {
  const orm = openOrm(database.url)
  const pidOf = async () => (await sql<{ pid: number }>(orm.em.fork(), 'select pg_backend_pid() as pid'))[0]!.pid
  const before = await pidOf()
  const readOnly = sql(orm.em.fork(), 'set default_transaction_read_only = on').then(() =>
    sql(orm.em.fork(), 'delete from sweep_runs'),
  )
  expect(isUnavailable(await errorOf(readOnly))).toBe(true)
  expect(await pidOf()).not.toBe(before)
})

// Not defined, rather than skipped, if it is not installed: the test says so.
const isThere = hasTool('openssl')

test('openssl is installed where the tests require it', () => {
  const missing = isThere ? '' : 'This needs openssl, and nothing is tested through TLS. On Debian: apt-get install openssl'
  expect(process.env.REQUIRE_PGBOUNCER ? missing : '').toBe('')
  console.log(missing || 'openssl is installed.')
})

describe.for(isThere ? ['openssl'] : [])('with sslmode=verify-full, and certificates by %s', () => {
  const server = useShared(async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'tls-'))
    onCleanup(() => rmSync(folder, { recursive: true, force: true }))
    chmodSync(folder, 0o711)
    const foreign = path.join(folder, 'foreign')
    mkdirSync(foreign)
    const dataDir = path.join(folder, 'data')
    const postgres = await startPostgres({ dataDir, unsafe: true })
    onCleanup(() => postgres.stop())
    const { key, certificate, ca } = makeCertificates(folder, { names: ['db.example.com'], addresses: ['127.0.0.1'] })
    const { uid, gid } = statSync(dataDir)
    chownSync(key, uid, gid)
    chmodSync(key, 0o600)
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query(`alter system set ssl_cert_file = '${certificate}'`)
    await admin.query(`alter system set ssl_key_file = '${key}'`)
    await admin.query('alter system set ssl = on')
    await admin.query('select pg_reload_conf()')
    await admin.end()
    const urlOf = (host: string, authority: string) =>
      `postgres://postgres:postgres@${host}:${postgres.port}/postgres?sslmode=verify-full&sslrootcert=${authority}`
    return { ca, foreignCa: makeCertificates(foreign, { names: [], addresses: ['127.0.0.1'] }).ca, urlOf }
  })

  /** Whether the connection of the ORM is encrypted. */
  const isEncrypted = async (url: string) => {
    const [row] = await sql<{ ssl: boolean }>(openOrm(url).em.fork(), 'select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    return row!.ssl
  }

  test('connections are encrypted, also with several hosts', async () => {
    // The server reloads its configuration a moment after it was asked to.
    await expect.poll(() => isEncrypted(server.urlOf('127.0.0.1', server.ca)).catch(() => false)).toBe(true)
    const several = await openClient(server.urlOf('127.0.0.1:1,127.0.0.1', server.ca))
    const { rows } = await several.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    expect(rows).toEqual([{ ssl: true }])
  })

  test('a server with a certificate of another authority, or for another name, is refused', async () => {
    await expect.poll(() => isEncrypted(server.urlOf('127.0.0.1', server.ca)).catch(() => false)).toBe(true)
    expect(String(await errorOf(isEncrypted(server.urlOf('127.0.0.1', server.foreignCa))))).toMatch(/certificate/i)
    expect(String(await errorOf(isEncrypted(server.urlOf('localhost', server.ca))))).toMatch(/altnames/i)
  })
})
