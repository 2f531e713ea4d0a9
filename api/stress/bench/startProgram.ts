import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { spawnBound } from '#api/dev/spawnBound.ts'

const running = new Set<ChildProcess>()

/** Kills all programs, before their dependencies stop. */
export function killPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
}

function spawnProgram(command: string, args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawnBound(command, args, {
    deathSignal: 'KILL',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

export interface Program {
  pid: number
  stop(): Promise<void>
}

interface ProgramOptions {
  env?: Record<string, string>
  /** Command-line flags of Node.js. */
  nodeFlags?: readonly string[]
}

/** Starts a script in a separate process. Resolves when it prints that it is running. */
export async function startProgram(
  script: string,
  args: readonly string[],
  { env = {}, nodeFlags = [] }: ProgramOptions = {},
): Promise<Program> {
  const child = spawnProgram(process.execPath, [...nodeFlags, script, ...args], env)
  const exited = once(child, 'exit')
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const read = (text: string) => {
      output = (output + text).slice(-4_000)
      // In production the line is JSON.
      if (/^Running|"message":"Running/m.test(output)) resolve()
    }
    child.stdout?.setEncoding('utf8').on('data', read)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text)
      output = (output + text).slice(-4_000)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${script} did not start:\n${output}`)))
  })
  return {
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Runs a command and returns its output. @throws if it fails. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { env = {} }: { env?: Record<string, string> } = {},
): Promise<string> {
  const child = spawnProgram(command, args, env)
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_000)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command} failed:\n${errors}`)
  return output
}
