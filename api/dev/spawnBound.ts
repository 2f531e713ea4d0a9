import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { SECOND } from '#shared/dates.ts'

const hasSetpriv = process.platform === 'linux' && spawnSync('setpriv', ['--version']).status === 0

interface BoundOptions extends SpawnOptions {
  /** The signal that the child receives when this process ends, even by SIGKILL. */
  deathSignal: 'INT' | 'TERM' | 'KILL'
  /** Precedes the command, to run it as another user. */
  prefix?: readonly string[]
  /** Additional arguments of setpriv. */
  privileges?: readonly string[]
}

/**
 * Starts a program that ends with this process.
 *
 * It has its own process group, so that Ctrl-C in the terminal only reaches this process, which then stops its parts in order.
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

/** Ends a program, by the second signal if it has not heard the first within five seconds. */
export async function endProgram(program: ChildProcess, [ask, force]: readonly [NodeJS.Signals, NodeJS.Signals]): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  const exited = once(program, 'exit')
  program.kill(ask)
  const forced = setTimeout(() => program.kill(force), 5 * SECOND)
  await exited
  clearTimeout(forced)
}
