import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A range that is reserved for measurements (RFC 2544), so that it hides no real network. */
const PREFIX = '198.18'
const NAMES = /^xcr-(\d+)-/

/**
 * Machines that share this one's disk and processors, but not its network: a namespace each, joined by a bridge.
 *
 * A cut cable drops packets without a word, as a real one does: no connection is reset, and processes of the machine still reach each other. A
 * proxy between the processes would close connections instead, and would have to know each of them.
 */
export class Network {
  readonly #id: string
  readonly #subnet: string
  readonly #bridge: string
  readonly #machines: string[] = []

  private constructor(id: string) {
    this.#id = id
    this.#subnet = `${PREFIX}.${process.pid % 250}`
    this.#bridge = `xcr-${id}`
  }

  /** @throws if this process may not create network namespaces. */
  static open(): Network {
    removeLeftovers()
    const network = new Network(String(process.pid))
    process.once('exit', () => network.close())
    run('ip', 'link', 'add', network.#bridge, 'type', 'bridge')
    run('ip', 'address', 'add', `${network.#subnet}.254/24`, 'dev', network.#bridge)
    run('ip', 'link', 'set', network.#bridge, 'up')
    return network
  }

  /** @returns the machine's name and address. */
  addMachine(): { machine: string; address: string } {
    const number = this.#machines.length + 1
    const machine = `xcr-${this.#id}-${number}`
    const address = `${this.#subnet}.${number}`
    run('ip', 'netns', 'add', machine)
    this.#machines.push(machine)
    run('ip', 'link', 'add', this.#cable(machine), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', machine)
    run('ip', 'link', 'set', this.#cable(machine), 'master', this.#bridge, 'up')
    run('ip', '-n', machine, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    run('ip', '-n', machine, 'link', 'set', 'eth0', 'up')
    run('ip', '-n', machine, 'link', 'set', 'lo', 'up')
    return { machine, address }
  }

  cut(machine: string): void {
    run('ip', 'link', 'set', this.#cable(machine), 'down')
  }

  heal(machine: string): void {
    run('ip', 'link', 'set', this.#cable(machine), 'up')
  }

  /** Kills everything on the machines and removes them. */
  close(): void {
    for (const machine of this.#machines) removeMachine(machine)
    spawnSync('ip', ['link', 'delete', this.#bridge])
  }

  #cable(machine: string): string {
    return `xv${machine.slice('xcr-'.length)}`
  }
}

/** Runs a command on a machine. */
export const onMachine = (machine: string): readonly [string, ...string[]] => ['ip', 'netns', 'exec', machine]

/** The processes of a machine. */
export const pidsOn = (machine: string): number[] =>
  spawnSync('ip', ['netns', 'pids', machine], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean).map(Number)

/** The name of a process's program; undefined if it has ended. */
export function programOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** What a process says of itself; empty if it has ended. */
export function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
}

function removeMachine(machine: string): void {
  for (let pids = pidsOn(machine); pids.length > 0; pids = pidsOn(machine)) signal(pids, 'SIGKILL')
  spawnSync('ip', ['netns', 'delete', machine])
}

/** Removes what a killed run has left. */
function removeLeftovers(): void {
  const names = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' })
    .stdout.split('\n')
    .map((line) => line.split(' ')[0]!)
  const isDead = (name: string) => {
    const [, pid] = NAMES.exec(`${name}-`) ?? []
    return pid !== undefined && programOf(Number(pid)) === undefined
  }
  for (const name of names.filter(isDead)) removeMachine(name)
  for (const name of readdirSync('/sys/class/net').filter(isDead)) spawnSync('ip', ['link', 'delete', name])
}

function run(command: string, ...parameters: string[]): void {
  const { status, stderr } = spawnSync(command, parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} failed: ${stderr}`)
}
