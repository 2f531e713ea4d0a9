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

/** The name of the product's database: not the server's own, which must be there when the product's disk is full. */
const NAME = 'chaos'

/** A copy of it, from which it can be restored. */
const BACKUP = `${NAME}_backup`

/** One that does not stop within this time is killed, as a service manager does. */
const PATIENCE = 5 * SECOND

/** A PostgreSQL that may be stopped, killed and started again at the same address. */
export class DatabaseServer {
  /** As the superuser, for faults and checks. */
  readonly url: string
  /** As which the product uses it. */
  readonly roles: RoleUrls
  /** Where the tables are; undefined where nothing may be mounted. */
  tableDisk: SmallDisk | undefined
  /** Where the write-ahead log is. */
  walDisk: SmallDisk | undefined
  readonly #folder: string
  readonly #port: number
  readonly #pool: pg.Pool
  #postgres: Postgres | undefined
  /** How many faults keep it down. */
  #holds = 0
  #working: Promise<void> = Promise.resolve()

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.url = `postgres://postgres:postgres@127.0.0.1:${port}/${NAME}`
    this.roles = roleUrls(this.url)
    // Few: all the people who wait while it is away must not storm it when it is back.
    this.#pool = new pg.Pool({ connectionString: this.url, max: 3, connectionTimeoutMillis: 5_000, application_name: 'chaos' })
    this.#pool.on('error', () => {})
  }

  /** @param smallDisks whether tables and log are put on disks that can be filled up. */
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

  /** Starts it again, once all who wanted it down have said so. */
  up(): Promise<void> {
    this.#holds = Math.max(0, this.#holds - 1)
    return this.#inTurn(() => this.#start())
  }

  /** Starts it again, if nobody wants it down. */
  recover(): Promise<void> {
    return this.#inTurn(() => this.#start())
  }

  isUp(): boolean {
    return this.#postgres !== undefined && readProcess(this.#postgres.pid) !== undefined
  }

  /** Told to stop, it cuts off whoever is connected; killed, it has no time to write anything down. */
  down(how: 'told' | 'killed'): Promise<void> {
    this.#holds += 1
    return this.#inTurn(async () => {
      const pid = this.#postgres?.pid
      if (pid === undefined || !this.isUp()) return
      process.kill(pid, how === 'told' ? 'SIGINT' : 'SIGQUIT')
      const patience = Date.now() + PATIENCE
      for (let isImpatient = false; this.isUp(); await delay(20)) {
        if (isImpatient || Date.now() < patience) continue
        // Told to stop while it recovers from a crash, PostgreSQL 18 may wait for ever.
        isImpatient = true
        process.kill(pid, 'SIGQUIT')
      }
    })
  }

  /** Writes what only the log keeps, until there is no room for it and the server goes down. */
  async exhaustWal(): Promise<void> {
    this.#holds += 1
    await this.walDisk?.fill()
    for (let written = 0; written < 100 && this.isUp(); written += 1)
      await this.#administrate(`select pg_logical_emit_message(false, 'chaos', repeat('x', 4000000)), pg_switch_wal()`).catch(
        () => {},
      )
  }

  /**
   * Keeps a copy of all that is in it now. Cuts off everybody, because the server copies only what nobody uses.
   *
   * @throws where the server is away.
   */
  async backUp(): Promise<void> {
    await this.#administrate(`alter database ${NAME} allow_connections false`)
    try {
      await this.#administrate(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${NAME}'`)
      await this.#administrate(`drop database if exists ${BACKUP}`)
      await this.#administrate(`create database ${BACKUP} template ${NAME}`)
    } finally {
      await this.#administrate(`alter database ${NAME} allow_connections true`)
    }
  }

  /** Puts the copy in its place: what is newer is lost. May be repeated. @throws where the server is away. */
  async restore(): Promise<void> {
    if ((await this.#administrate(`select from pg_database where datname = '${BACKUP}'`)) === 0) return
    await this.#administrate(`drop database if exists ${NAME} with (force)`)
    await this.#administrate(`alter database ${BACKUP} rename to ${NAME}`)
  }

  /** @throws where the server is away. */
  async query<Row extends pg.QueryResultRow>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, [...parameters])).rows
  }

  async stop(): Promise<void> {
    await this.#pool.end()
    await this.down('told')
    this.tableDisk?.unmount()
    this.walDisk?.unmount()
  }

  async #start(): Promise<void> {
    if (this.#holds > 0 || this.isUp()) return
    this.#postgres = await startPostgres({ dataDir: path.join(this.#folder, 'postgres'), port: this.#port })
  }

  /** Starting and stopping wait for one another. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#working.then(work)
    this.#working = done.catch(() => {})
    return done
  }

  /** Over a connection of its own, which may break. @returns how many rows it answers. */
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
    // Much less log than the disk holds, while nothing else is on it.
    await this.#administrate(`alter system set max_wal_size = '64MB'`)
    await this.#administrate(`alter system set min_wal_size = '32MB'`)
    await this.down('told')
    const moved = path.join(this.walDisk.folder, 'pg_wal')
    spawnSync('cp', ['--archive', wal, moved])
    rmSync(wal, { recursive: true })
    symlinkSync(moved, wal)
    await this.up()
  }
}
