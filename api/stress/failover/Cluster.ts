import { spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { SECOND } from '#shared/dates.ts'
import { openRoles, type RoleUrls, roleUrls } from '#api/dev/openRoles.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'
import { findTool } from '#api/testing/findTool.ts'
import { connectionOptions } from '#api/platform/db/connectionOptions.ts'
import { DatabaseClient } from '#api/platform/db/DatabaseClient.ts'
import type { Database } from '../chaos/startWorld.ts'
import type { ClusterNode, MemberState } from './ClusterNode.ts'
import { type Installed, installNodes, PASSWORD } from './installNodes.ts'
import { Network } from './Network.ts'
import { asUser, type PostgresUser } from './postgresUser.ts'

const DATABASE = 'xcr'
/** Of Debian's package, as in the sample. */
const BINARIES = '/usr/lib/postgresql/15/bin'
/** In milliseconds. */
const START_TIMEOUT = 120 * SECOND
const ANSWER_TIMEOUT = 10 * SECOND
const WHOLE_TIMEOUT = 180 * SECOND

/** Three PostgreSQL under Patroni with etcd, and HAProxy in front, with the sample files for operators. */
export class Cluster implements Database {
  readonly url: string
  readonly roles: RoleUrls
  readonly replicaUrl: string
  readonly nodes: readonly ClusterNode[]
  /** Where the write-ahead log is archived. */
  readonly archive: string
  readonly #network: Network
  readonly #pool: pg.Pool
  readonly #parts: { folder: string; port: number; ca: string; user: PostgresUser }
  #haproxy: ChildProcess | undefined
  #restored: ChildProcess | undefined

  private constructor({ network, nodes, ports, folder, ca, user }: Installed & { network: Network; folder: string }) {
    this.#parts = { folder, port: ports.readWrite, ca, user }
    const parameters = `?sslmode=verify-full&sslrootcert=${ca}`
    this.url = `postgres://postgres:${PASSWORD}@127.0.0.1:${ports.readWrite}/${DATABASE}${parameters}`
    this.roles = roleUrls(this.url)
    const replica = new URL(this.roles.url)
    replica.port = String(ports.readOnly)
    this.replicaUrl = replica.href
    this.nodes = nodes
    this.archive = path.join(folder, 'archive')
    this.#network = network
    this.#pool = new pg.Pool({ ...connectionOptions(this.url, { answerTimeout: ANSWER_TIMEOUT }), max: 3 })
    this.#pool.on('error', () => {})
  }

  static async start(folder: string): Promise<Cluster> {
    const network = Network.open()
    try {
      return await Cluster.#startOn(network, folder)
    } catch (error) {
      network.close()
      throw error
    }
  }

  static async #startOn(network: Network, folder: string): Promise<Cluster> {
    const installed = await installNodes(network, folder)
    const cluster = new Cluster({ network, folder, ...installed })
    try {
      for (const node of installed.nodes) node.startEtcd()
      for (const node of installed.nodes) node.startPatroni()
      cluster.#haproxy = spawnBound(findTool('haproxy'), ['-db', '-f', installed.proxyFile], {
        deathSignal: 'KILL',
        stdio: 'ignore',
      })
      await cluster.#prepare()
      await cluster.waitUntilWhole({ timeout: START_TIMEOUT })
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** The node that holds the lease. */
  async findPrimary(): Promise<ClusterNode | undefined> {
    const states = await this.readStates()
    return states.find(({ state }) => state?.role === 'master' && state.state === 'running')?.node
  }

  readStates(): Promise<{ node: ClusterNode; state: MemberState | undefined }[]> {
    return Promise.all(this.nodes.map(async (node) => ({ node, state: await node.readState() })))
  }

  /** The standby that confirms commits. */
  async findSynchronous(): Promise<ClusterNode | undefined> {
    const [row] = await this.query<{ name: string }>(
      `select application_name as name from pg_stat_replication where sync_state = 'sync'`,
    )
    return this.nodes.find(({ name }) => name === row?.name)
  }

  /**
   * Waits until there is a primary with two standbys that follow it, and Patroni has noted which of them confirms: only that one may take
   * over. Without confirmation of commits any may.
   */
  async waitUntilWhole({ timeout = WHOLE_TIMEOUT, confirmed = true } = {}): Promise<void> {
    const deadline = Date.now() + timeout
    for (;;) {
      const members = (await (await this.findPrimary())?.readMembers()) ?? []
      const timelines = new Set(members.map(({ timeline }) => timeline))
      const isWhole =
        members.length === this.nodes.length && timelines.size === 1 && members.every(({ state }) => isUp.has(state))
      const roles = members.map(({ role }) => role)
      if (isWhole && roles.includes('leader') && (!confirmed || roles.includes('sync_standby'))) {
        const following = await this.query(`select from pg_stat_replication where state = 'streaming'`).catch(() => [])
        if (following.length >= this.nodes.length - 1) return
      }
      if (Date.now() > deadline) {
        const seen = members.map(({ name, role, state, timeline }) => `${name} ${role} ${state} ${timeline}`).join(', ')
        throw new Error(`The cluster is not whole: ${seen}`)
      }
      await delay(500)
    }
  }

  /** Changes the configuration of all members, as `patronictl edit-config` does. */
  async configure(changes: object): Promise<void> {
    await (await this.#getPrimary()).callPatroni('config', 'PATCH', changes)
  }

  /** A planned switch-over: Patroni chooses the new primary. */
  async switchOver(): Promise<void> {
    const primary = await this.#getPrimary()
    await primary.callPatroni('switchover', 'POST', { leader: primary.name })
  }

  /** @throws if the database is away. */
  async query<Row extends pg.QueryResultRow>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, [...parameters])).rows
  }

  /** Takes a full copy. @returns its folder. */
  backUp(): string {
    const { folder, port, ca, user } = this.#parts
    const backups = path.join(folder, 'base')
    mkdirSync(backups)
    chownSync(backups, user.uid, user.gid)
    const url = `postgres://replicator@127.0.0.1:${port}/?sslmode=verify-full&sslrootcert=${ca}`
    return this.#runScript('base-backup.sh', [backups, url])
  }

  /** Waits until everything that is written is in the archive. */
  async archiveLog({ timeout }: { timeout: number }): Promise<void> {
    const [row] = await this.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
    const isArchived = async () => {
      const [archiver] = await this.query<{ last: string | null }>('select last_archived_wal as last from pg_stat_archiver')
      return (archiver!.last ?? '') >= row!.file
    }
    for (const deadline = Date.now() + timeout; !(await isArchived()); await delay(250))
      if (Date.now() > deadline) throw new Error(`${row!.file} is not archived.`)
  }

  /** Ends the cluster, and starts a server that was restored to a second in its place. */
  async replaceByRestored({ backup, second }: { backup: string; second: Date }): Promise<void> {
    const { folder, port, user } = this.#parts
    this.#haproxy?.kill('SIGKILL')
    for (const node of this.nodes) node.powerOff()
    const target = path.join(folder, 'restored')
    mkdirSync(target)
    chownSync(target, user.uid, user.gid)
    this.#runScript('restore.sh', [backup, this.archive, target, second.toISOString().replace('Z', '+00')])
    const log = openSync(path.join(folder, 'restored.log'), 'a')
    const options = ['listen_addresses=127.0.0.1', `port=${port}`, 'archive_mode=off', 'synchronous_standby_names=']
    this.#restored = spawnBound(path.join(BINARIES, 'postgres'), ['-D', target, ...options.flatMap((option) => ['-c', option])], {
      deathSignal: 'INT',
      privileges: asUser(user),
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    const isReady = async () => {
      const [row] = await this.query<{ ready: boolean }>('select not pg_is_in_recovery() as ready').catch(() => [])
      return row?.ready === true
    }
    for (const deadline = Date.now() + START_TIMEOUT; !(await isReady()); await delay(250))
      if (Date.now() > deadline || this.#restored.exitCode !== null)
        throw new Error(`The restored server does not start:\n${readFileSync(path.join(folder, 'restored.log'), 'utf8')}`)
  }

  async stop(): Promise<void> {
    await this.#pool.end()
    this.#haproxy?.kill('SIGKILL')
    this.#restored?.kill('SIGQUIT')
    for (const node of this.nodes) node.stop()
    this.#network.close()
  }

  /** The password of the superuser. */
  get password(): string {
    return PASSWORD
  }

  async #getPrimary(): Promise<ClusterNode> {
    const primary = await this.findPrimary()
    if (!primary) throw new Error('There is no primary.')
    return primary
  }

  /** Runs one of the sample scripts as PostgreSQL's user. @returns what it prints. */
  #runScript(name: string, parameters: readonly string[]): string {
    const script = path.join(this.#parts.folder, 'backup', name)
    // libpq reads files of the home folder, which must be readable for the user.
    const env = { PATH: `${BINARIES}:${process.env.PATH}`, HOME: this.#parts.folder, PGPASSWORD: PASSWORD }
    const { status, stdout, stderr } = spawnSync('setpriv', [...asUser(this.#parts.user), '--', script, ...parameters], {
      encoding: 'utf8',
      env,
    })
    if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`)
    return stdout.trim()
  }

  async #prepare(): Promise<void> {
    // Commits wait until the first standby follows.
    const deadline = Date.now() + START_TIMEOUT
    while ((await this.#administrate('select 1').catch(() => [])).length === 0) {
      if (Date.now() > deadline) throw new Error('The cluster has no primary.')
      await delay(500)
    }
    await this.#administrate(`create database ${DATABASE}`)
    await openRoles(this.url)
  }

  async #administrate<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const url = new URL(this.url)
    url.pathname = '/postgres'
    const client = new DatabaseClient(connectionOptions(url.href, { answerTimeout: START_TIMEOUT }))
    try {
      await client.connect()
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** The states of a member that runs: of the primary, and of a standby that follows it. */
const isUp = new Set(['running', 'streaming'])
