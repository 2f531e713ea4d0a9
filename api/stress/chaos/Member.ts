import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'

const mainScript = path.resolve(import.meta.dirname, '../../main.ts')

/** The delay before a restart, in milliseconds. */
const RESTART_DELAY = 300
/** A busy machine takes long. In milliseconds. */
const START_TIMEOUT = 180 * SECOND

export interface MemberOptions {
  name: string
  role: 'web' | 'worker' | 'watcher'
  env: Record<string, string>
  folder: string
}

/** A process of the product. It is restarted whenever it ends, as by a service manager. */
export class Member {
  readonly name: string
  readonly role: MemberOptions['role']
  /** Descriptions of unexpected exits. */
  readonly crashes: string[] = []
  readonly #env: Record<string, string>
  readonly #log: WriteStream
  #child: ChildProcess | undefined
  #isRunning = false
  #shouldRun = true
  #running: Promise<void>
  #killedByUs = false

  constructor({ name, role, env, folder }: MemberOptions) {
    this.name = name
    this.role = role
    this.#env = env
    this.#log = createWriteStream(path.join(folder, `${name}.log`), { flags: 'a' })
    this.#running = this.#keepRunning()
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether it has logged that it is running. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  kill(): void {
    this.#killedByUs = true
    this.#child?.kill('SIGKILL')
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  wake(): void {
    this.#child?.kill('SIGCONT')
  }

  /** Lowers the limit of open files and connections. @returns a function that restores it. */
  limitDescriptors(limit: number): () => void {
    const { pid } = this
    const [, usual] = /^Max open files\s+(\d+)/m.exec(readLimits(pid)) ?? []
    if (usual === undefined) return () => {}
    const set = (soft: number | string) =>
      spawn('prlimit', ['--pid', String(pid), `--nofile=${soft}:`], { stdio: 'ignore' }).on('error', () => {})
    set(limit)
    return () => void set(usual)
  }

  async stop(): Promise<void> {
    this.#shouldRun = false
    this.wake()
    this.#killedByUs = true
    this.#child?.kill('SIGTERM')
    await this.#running
    this.#log.end()
  }

  async #keepRunning(): Promise<void> {
    while (this.#shouldRun) {
      await this.#runOnce()
      if (this.#shouldRun) await delay(RESTART_DELAY)
    }
  }

  async #runOnce(): Promise<void> {
    this.#killedByUs = false
    const child = spawnBound(process.execPath, [mainScript, this.role], {
      deathSignal: 'KILL',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...this.#env,
        PGAPPNAME: this.name,
      },
    })
    this.#child = child
    let tail = ''
    const read = (text: string) => {
      this.#log.write(text)
      tail = (tail + text).slice(-3_000)
      // In production the line is JSON.
      if (/^Running|"message":"Running/m.test(text)) this.#isRunning = true
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (this.#isRunning && !this.#killedByUs) this.crashes.push(`${this.name} crashed (${signal ?? code}):\n${tail}`)
    this.#isRunning = false
    this.#child = undefined
  }
}

/** @throws if one of them takes too long to start. */
export async function allRunning(members: readonly Member[]): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT
  while (!members.every(({ isRunning }) => isRunning)) {
    if (Date.now() > deadline) throw new Error('Some processes do not start.')
    await delay(50)
  }
}

/** Empty if the process has ended. */
function readLimits(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'utf8')
  } catch {
    return ''
  }
}
