import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { spawnBound } from '#api/dev/spawnBound.ts'

const mainScript = path.resolve(import.meta.dirname, '../../main.ts')

/** Before it is started again, as a service manager would. */
const RESTART_AFTER = 300

export interface MemberOptions {
  name: string
  role: 'web' | 'worker' | 'watcher'
  env: Record<string, string>
  folder: string
}

/** One process of the product, which is started again whenever it ends, as a service manager would. */
export class Member {
  readonly name: string
  readonly role: MemberOptions['role']
  /** How often it ended without anybody having killed it, while it ran. */
  readonly deaths: string[] = []
  readonly #env: Record<string, string>
  readonly #log: WriteStream
  #child: ChildProcess | undefined
  #isRunning = false
  #isMeant = true
  #keeping: Promise<void>
  #killedByUs = false

  constructor({ name, role, env, folder }: MemberOptions) {
    this.name = name
    this.role = role
    this.#env = env
    this.#log = createWriteStream(path.join(folder, `${name}.log`), { flags: 'a' })
    this.#keeping = this.#keepRunning()
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether it has said that it runs. */
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

  /** Lowers how many files and connections it may have open. @returns what gives it back. */
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
    this.#isMeant = false
    this.wake()
    this.#killedByUs = true
    this.#child?.kill('SIGTERM')
    await this.#keeping
    this.#log.end()
  }

  async #keepRunning(): Promise<void> {
    while (this.#isMeant) {
      await this.#runOnce()
      if (this.#isMeant) await delay(RESTART_AFTER)
    }
  }

  async #runOnce(): Promise<void> {
    this.#killedByUs = false
    const child = spawnBound(process.execPath, [mainScript, this.role], {
      deathSignal: 'KILL',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.#env, PGAPPNAME: this.name },
    })
    this.#child = child
    let tail = ''
    const read = (text: string) => {
      this.#log.write(text)
      tail = (tail + text).slice(-3_000)
      // In production it says so in JSON.
      if (/^Running|"message":"Running/m.test(text)) this.#isRunning = true
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', read)
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (this.#isRunning && !this.#killedByUs) this.deaths.push(`${this.name} ended by itself (${signal ?? code}):\n${tail}`)
    this.#isRunning = false
    this.#child = undefined
  }
}

/** Empty for a process that has ended meanwhile. */
function readLimits(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'utf8')
  } catch {
    return ''
  }
}
