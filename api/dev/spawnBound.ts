import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'

const hasSetpriv = process.platform === 'linux' && spawnSync('setpriv', ['--version']).status === 0

interface BoundOptions extends SpawnOptions {
  /** What the child receives when this process is gone, even by SIGKILL. */
  deathSignal: 'INT' | 'TERM' | 'KILL'
  /** Goes before the command, to run it as somebody else. */
  prefix?: readonly string[]
  /** Further arguments of setpriv. */
  privileges?: readonly string[]
}

/**
 * Starts a program that cannot outlive this process.
 *
 * It leads a process group of its own, so that Ctrl-C in the terminal reaches us alone and we end the parts in order.
 */
export function spawnBound(
  command: string,
  args: readonly string[],
  { deathSignal, prefix = [], privileges = [], ...options }: BoundOptions,
): ChildProcess {
  const binding = hasSetpriv ? ['setpriv', '--pdeathsig', deathSignal, ...privileges, '--'] : []
  const [program = command, ...rest] = [...prefix, ...binding, command, ...args]
  return spawn(program, rest, { ...options, detached: true })
}
