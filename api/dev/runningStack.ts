import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from '#api/platform/config.ts'
import { readProcess } from './readProcess.ts'

export interface RunningStack {
  pid: number
  /** The variables that the stack provides. */
  env: Environment
  /** Whether the chains are embedded. */
  demo: boolean
}

interface StackFile extends Partial<RunningStack> {
  pid: number
  /** Distinguishes this process from a later one with the same id. */
  startedAt: string | undefined
}

/** Another process uses the embedded stack of this folder. */
class StackRunningError extends Error {
  override name = 'StackRunningError'

  constructor({ pid, dataDir }: { pid: number; dataDir: string }) {
    super(`It is already running as process ${pid}, on the data in ${dataDir}. Stop it first, or set DATA_DIR to another folder.`)
  }
}

/** The data folder of the filled demo. */
export const demoFolder = (dataDir: string): string => path.join(dataDir, 'demo')

/** Returns the running stack of this folder or of its demo, so that other commands use it instead of starting one. */
export function findRunningStack(dataDir: string): RunningStack | undefined {
  const stack = readLive(dataDir) ?? readLive(demoFolder(dataDir))
  return stack?.env && { pid: stack.pid, env: stack.env, demo: stack.demo ?? false }
}

/** @throws {StackRunningError} if a process uses the folder, even if it is still starting. */
export function refuseSecondStack(dataDir: string): void {
  const other = readLive(dataDir)
  if (other) throw new StackRunningError({ pid: other.pid, dataDir })
}

/**
 * Locks the data folder for this process.
 *
 * @throws {StackRunningError} if another process has locked it.
 */
export function claimStack(dataDir: string): { publish: (stack: Omit<RunningStack, 'pid'>) => void; release: () => void } {
  const file = path.join(dataDir, 'stack.json')
  const claim: StackFile = { pid: process.pid, startedAt: startOf(process.pid) }
  for (;;) {
    try {
      // Fails if the file exists, so that only one of two concurrent starts succeeds.
      writeFileSync(file, JSON.stringify(claim), { flag: 'wx', mode: 0o600 })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    refuseSecondStack(dataDir)
    rmSync(file, { force: true })
  }
  const release = () => rmSync(file, { force: true })
  process.once('exit', release)
  return {
    publish(stack) {
      writeFileSync(`${file}.new`, JSON.stringify({ ...claim, ...stack }, null, 2), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
    release() {
      process.off('exit', release)
      release()
    },
  }
}

/** Returns the content of the file if the process that wrote it is running. */
function readLive(dataDir: string): StackFile | undefined {
  try {
    const stack = JSON.parse(readFileSync(path.join(dataDir, 'stack.json'), 'utf8')) as StackFile
    return isAlive(stack.pid) && startOf(stack.pid) === stack.startedAt ? stack : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  if (process.platform === 'linux') return readProcess(pid) !== undefined
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const startOf = (pid: number) => readProcess(pid)?.startedAt
