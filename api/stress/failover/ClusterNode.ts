import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'
import { findTool } from '#api/testing/findTool.ts'
import { SmallDisk } from '../chaos/SmallDisk.ts'
import { type Network, onMachine, pidsOn, programOf, signal, titleOf } from './Network.ts'
import { asUser, type PostgresUser } from './postgresUser.ts'

/** What Patroni says of a member. */
export interface MemberState {
  role: string
  state: string
  timeline?: number
  pause?: boolean
}

/** What Patroni lists of each member. */
interface Member {
  name: string
  role: 'leader' | 'sync_standby' | 'replica'
  state: string
  timeline?: number
}

export interface NodeOptions {
  name: string
  machine: string
  address: string
  network: Network
  /** Of the node. */
  folder: string
  configFile: string
  patroniEnv: Record<string, string>
  etcdEnv: Record<string, string>
  user: PostgresUser
}

/** More than the log and the tables of a run. */
const DISK_MEBIBYTES = 1_024
const RESTART_DELAY = SECOND

/** A machine with PostgreSQL, Patroni and a member of etcd. */
export class ClusterNode {
  readonly name: string
  readonly address: string
  readonly disk: SmallDisk
  readonly #options: NodeOptions
  readonly #services: Record<'etcd' | 'patroni', ChildProcess | undefined> = { etcd: undefined, patroni: undefined }
  #isStopped = false

  constructor(options: NodeOptions) {
    this.#options = options
    this.name = options.name
    this.address = options.address
    const disk = SmallDisk.mount(path.join(options.folder, 'disk'), { mebibytes: DISK_MEBIBYTES })
    if (!disk) throw new Error('This process may not mount a file system.')
    this.disk = disk
  }

  startEtcd(): void {
    this.#keepRunning('etcd', findTool('etcd'), [], this.#options.etcdEnv)
  }

  startPatroni(): void {
    this.#keepRunning('patroni', findTool('patroni'), [this.#options.configFile], this.#options.patroniEnv)
  }

  /** Patroni's own view; undefined if it does not answer. */
  async readState(): Promise<MemberState | undefined> {
    try {
      const response = await fetch(`http://${this.address}:8008/patroni`, { signal: AbortSignal.timeout(2 * SECOND) })
      return (await response.json()) as MemberState
    } catch {
      return undefined
    }
  }

  /** All members, as its Patroni sees them; undefined if it does not answer. */
  async readMembers(): Promise<Member[] | undefined> {
    try {
      const response = await fetch(`http://${this.address}:8008/cluster`, { signal: AbortSignal.timeout(2 * SECOND) })
      return ((await response.json()) as { members: Member[] }).members
    } catch {
      return undefined
    }
  }

  /** Sends a command to its Patroni. */
  async callPatroni(path: string, method: string, body: object): Promise<void> {
    const credentials = Buffer.from(`patroni:${this.#options.patroniEnv.PATRONI_RESTAPI_PASSWORD}`).toString('base64')
    const response = await fetch(`http://${this.address}:8008/${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Basic ${credentials}` },
      signal: AbortSignal.timeout(60 * SECOND),
    })
    if (!response.ok) throw new Error(`Patroni refused ${path}: ${response.status} ${await response.text()}`)
  }

  /** Whether etcd's member leads; false if it does not answer. */
  async leadsEtcd(): Promise<boolean> {
    try {
      const response = await fetch(`http://${this.address}:2379/v3/maintenance/status`, {
        method: 'POST',
        body: '{}',
        signal: AbortSignal.timeout(2 * SECOND),
      })
      const { header, leader } = (await response.json()) as { header: { member_id: string }; leader: string }
      return header.member_id === leader
    } catch {
      return false
    }
  }

  /** The pids of PostgreSQL's processes. */
  postgresPids(): number[] {
    return pidsOn(this.#options.machine).filter((pid) => programOf(pid) === 'postgres')
  }

  /** Freezes what receives the write-ahead log of a standby. The primary gives it up, and no other begins. */
  stopReceiving(): void {
    signal(this.#receiverPids(), 'SIGSTOP')
  }

  /** Ends the frozen process as it continues. Otherwise it would read what the system has received for it meanwhile. */
  resumeReceiving(): void {
    const pids = this.#receiverPids()
    signal(pids, 'SIGTERM')
    signal(pids, 'SIGCONT')
  }

  #receiverPids(): number[] {
    return this.postgresPids().filter((pid) => titleOf(pid).includes('walreceiver'))
  }

  killPostgres(): void {
    signal(this.postgresPids(), 'SIGKILL')
  }

  killEtcd(): void {
    this.#services.etcd?.kill('SIGKILL')
  }

  /** Everything ends at once, as without power; the services start again only with `powerOn`. */
  powerOff(): void {
    this.#isStopped = true
    for (let pids = pidsOn(this.#options.machine); pids.length > 0; pids = pidsOn(this.#options.machine)) signal(pids, 'SIGKILL')
  }

  powerOn(): void {
    this.#isStopped = false
    this.startEtcd()
    this.startPatroni()
  }

  freeze(): void {
    signal(pidsOn(this.#options.machine), 'SIGSTOP')
  }

  /** PostgreSQL continues first, with Patroni still frozen: the worst order, because nobody demotes it yet. */
  thaw(): void {
    signal(this.postgresPids(), 'SIGCONT')
    signal(pidsOn(this.#options.machine), 'SIGCONT')
  }

  cutNetwork(): void {
    this.#options.network.cut(this.#options.machine)
  }

  healNetwork(): void {
    this.#options.network.heal(this.#options.machine)
  }

  /** Runs a statement on the machine itself, which works while its network is cut. */
  async runLocally(
    statement: string,
    { password, timeout }: { password: string; timeout: number },
  ): Promise<{ code: number | null; errors: string }> {
    const [program, ...machine] = onMachine(this.#options.machine)
    const parameters = [
      ...machine,
      findTool('psql'),
      '--no-psqlrc',
      '--quiet',
      '--set=ON_ERROR_STOP=1',
      `--command=${statement}`,
      `host=${this.address} user=postgres dbname=xcr sslmode=require connect_timeout=5`,
    ]
    const client = spawn(program, parameters, {
      env: { ...process.env, PGPASSWORD: password },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout,
    })
    let errors = ''
    client.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    const [code] = (await once(client, 'close')) as [number | null]
    return { code, errors }
  }

  stop(): void {
    this.powerOff()
    this.disk.unmount()
  }

  #keepRunning(service: 'etcd' | 'patroni', command: string, parameters: readonly string[], env: Record<string, string>): void {
    const { machine, folder, user } = this.#options
    const log = openSync(path.join(folder, `${service}.log`), 'a')
    const child = spawnBound(command, parameters, {
      deathSignal: 'KILL',
      prefix: onMachine(machine),
      privileges: asUser(user),
      cwd: folder,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8', ...env },
    })
    closeSync(log)
    this.#services[service] = child
    void once(child, 'close').then(async () => {
      await delay(RESTART_DELAY)
      if (!this.#isStopped && this.#services[service] === child) this.#keepRunning(service, command, parameters, env)
    })
  }
}
