import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { SECOND } from '#shared/dates.ts'
import { freePort } from '#api/dev/freePort.ts'
import { openRoles, type RoleUrls, roleUrls } from '#api/dev/openRoles.ts'
import { readProcess } from '#api/dev/readProcess.ts'
import { type Postgres, startPostgres } from '#api/dev/startPostgres.ts'
import { SmallDisk } from './SmallDisk.ts'

/** The product's database. It is not the server's default one, which must stay available when the product's disk is full. */
const NAME = 'chaos'

/** The backup that is restored. */
const BACKUP = `${NAME}_backup`

/** A server that does not stop within this time is killed, as by a service manager. */
const STOP_TIMEOUT = 5 * SECOND

/** A PostgreSQL server that can be stopped, killed and started again at the same address. */
export class DatabaseServer {
  /** Connects as the superuser, for faults and checks. */
  readonly url: string
  /** Connects as the product's roles. */
  readonly roles: RoleUrls
  /** The disk of the tables; undefined if this process may not mount. */
  tableDisk: SmallDisk | undefined
  /** The disk of the write-ahead log. */
  walDisk: SmallDisk | undefined
  readonly #folder: string
  readonly #port: number
  readonly #pool: pg.Pool
  #postgres: Postgres | undefined
  /** The number of faults that keep it down. */
  #holds = 0
  #working: Promise<void> = Promise.resolve()

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.url = `postgres://postgres:postgres@127.0.0.1:${port}/${NAME}`
    this.roles = roleUrls(this.url)
    // Few connections, so that waiting users do not overload it after a restart.
    this.#pool = new pg.Pool({ connectionString: this.url, max: 3, connectionTimeoutMillis: 5_000, application_name: 'chaos' })
    this.#pool.on('error', () => {})
  }

  /** @param smallDisks whether tables and log are on disks that can be filled. */
  static async start(folder: string, { smallDisks }: { smallDisks: boolean }): Promise<DatabaseServer> {
    const server = new DatabaseServer(folder, await freePort())
    await server.up()
    if (smallDisks) await server.#moveToSmallDisks()
    const location = server.tableDisk && path.join(server.tableDisk.folder, 'tables')
    if (location) await server.#administrate(`create tablespace small location '${location}'`)
    await server.#administrate(`create database ${NAME} ${location ? 'tablespace small' : ''}`)
    await openRoles(server.url)
    return server
  }

  /** Releases the hold of one fault, and starts the server if there are no others. */
  up(): Promise<void> {
    this.#holds = Math.max(0, this.#holds - 1)
    return this.#enqueue(() => this.#start())
  }

  /** Starts the server if no fault holds it down. */
  recover(): Promise<void> {
    return this.#enqueue(() => this.#start())
  }

  isUp(): boolean {
    return this.#postgres !== undefined && readProcess(this.#postgres.pid) !== undefined
  }

  /** A stopped server closes all connections; a killed one writes nothing. */
  down(how: 'stopped' | 'killed'): Promise<void> {
    this.#holds += 1
    return this.#enqueue(async () => {
      const pid = this.#postgres?.pid
      if (pid === undefined || !this.isUp()) return
      process.kill(pid, how === 'stopped' ? 'SIGINT' : 'SIGQUIT')
      const deadline = Date.now() + STOP_TIMEOUT
      for (let isKilled = false; this.isUp(); await delay(20)) {
        if (isKilled || Date.now() < deadline) continue
        // PostgreSQL 18 may never stop if it is still recovering from a crash.
        isKilled = true
        process.kill(pid, 'SIGQUIT')
      }
    })
  }

  /** Writes only to the log until its disk is full and the server crashes. */
  async exhaustWal(): Promise<void> {
    this.#holds += 1
    await this.walDisk?.fill()
    for (let written = 0; written < 100 && this.isUp(); written += 1)
      await this.#administrate(`select pg_logical_emit_message(false, 'chaos', repeat('x', 4000000)), pg_switch_wal()`).catch(
        () => {},
      )
  }

  /**
   * Backs up the database. Closes all connections, because the server can only copy a database without connections.
   *
   * @throws if the server is down.
   */
  async backUp(): Promise<void> {
    await this.#administrate(`alter database ${NAME} allow_connections false`)
    // Again and again, because a connection may have been accepted before and not be listed yet: the copy would wait for it, and fail.
    const ending = setInterval(
      () =>
        void this.#administrate(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${NAME}'`).catch(
          () => {},
        ),
      100,
    )
    try {
      await this.#administrate(`drop database if exists ${BACKUP}`)
      await this.#administrate(`create database ${BACKUP} template ${NAME}`)
    } finally {
      clearInterval(ending)
      await this.#administrate(`alter database ${NAME} allow_connections true`)
    }
  }

  /** Replaces the database by the backup. Can be repeated. @throws if the server is down. */
  async restore(): Promise<void> {
    if ((await this.#administrate(`select from pg_database where datname = '${BACKUP}'`)) === 0) return
    await this.#administrate(`drop database if exists ${NAME} with (force)`)
    await this.#administrate(`alter database ${BACKUP} rename to ${NAME}`)
  }

  /** @throws if the server is down. */
  async query<Row extends pg.QueryResultRow>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, [...parameters])).rows
  }

  async stop(): Promise<void> {
    await this.#pool.end()
    await this.down('stopped')
    this.tableDisk?.unmount()
    this.walDisk?.unmount()
  }

  async #start(): Promise<void> {
    if (this.#holds > 0 || this.isUp()) return
    this.#postgres = await startPostgres({ dataDir: path.join(this.#folder, 'postgres'), port: this.#port })
  }

  /** Runs starts and stops sequentially. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work)
    this.#working = done.catch(() => {})
    return done
  }

  /** Uses a separate connection, which may break. @returns the number of rows. */
  async #administrate(text: string): Promise<number> {
    const client = new pg.Client({ connectionString: this.url.replace(/[^/]+$/, 'postgres'), connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(text)).rowCount ?? 0
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #moveToSmallDisks(): Promise<void> {
    this.tableDisk = SmallDisk.mount(path.join(this.#folder, 'table-disk'), { mebibytes: 192 })
    this.walDisk = SmallDisk.mount(path.join(this.#folder, 'wal-disk'), { mebibytes: 192 })
    if (!this.tableDisk || !this.walDisk) {
      this.tableDisk?.unmount()
      this.tableDisk = this.walDisk = undefined
      return
    }
    const wal = path.join(this.#folder, 'postgres/pg_wal')
    const { uid, gid } = statSync(wal)
    const tables = path.join(this.tableDisk.folder, 'tables')
    mkdirSync(tables, { mode: 0o700 })
    chownSync(tables, uid, gid)
    // The log is much smaller than the disk unless the disk is filled.
    await this.#administrate(`alter system set max_wal_size = '64MB'`)
    await this.#administrate(`alter system set min_wal_size = '32MB'`)
    await this.down('stopped')
    const moved = path.join(this.walDisk.folder, 'pg_wal')
    spawnSync('cp', ['--archive', wal, moved])
    rmSync(wal, { recursive: true })
    symlinkSync(moved, wal)
    await this.up()
  }
}
