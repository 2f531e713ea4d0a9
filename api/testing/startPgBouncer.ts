import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '#api/dev/freePort.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'
import { findTool } from './findTool.ts'

export interface PgBouncer {
  /** The same database, through the pooler. */
  url: string
  /** The administrative database, for `show`. */
  adminUrl: string
  stop(): Promise<void>
}

/** The id of the user and group `nobody`. */
const NOBODY = 65_534

/** Starts a transaction pooler in front of a database, with a limited number of server connections. */
export async function startPgBouncer(
  databaseUrl: string,
  { folder, serverConnections }: { folder: string; serverConnections: number },
): Promise<PgBouncer> {
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl)
  const home = path.join(folder, 'pgbouncer')
  const port = await freePort()
  mkdirSync(home, { recursive: true })
  const [users, file, log] = ['users.txt', 'pgbouncer.ini', 'log'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(users, `"${username}" "${password}"\n`)
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${databasePort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      `admin_users = ${username}`,
      'pool_mode = transaction',
      `default_pool_size = ${serverConnections}`,
      'max_client_conn = 1000',
      `logfile = ${log}`,
      'log_connections = 0',
      'log_disconnections = 0',
      '',
    ].join('\n'),
  )
  writeFileSync(log, '')
  // PgBouncer refuses to run as root, and its user must be able to enter the folder.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chmodSync(folder, 0o711)
  if (isRoot) for (const each of [home, users, file, log]) chownSync(each, NOBODY, NOBODY)
  const bouncer = spawnBound(findTool('pgbouncer'), ['-q', file], {
    deathSignal: 'KILL',
    privileges: isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [],
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(bouncer, 'exit')
  for (;;) {
    const socket = connect({ host: '127.0.0.1', port })
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) break
    if (bouncer.exitCode !== null) throw new Error(`pgbouncer did not start:\n${readFileSync(log, 'utf8')}`)
    await delay(20)
  }
  const urlOf = (database: string) => `postgres://${username}:${password}@127.0.0.1:${port}${database}`
  return {
    url: urlOf(pathname),
    adminUrl: urlOf('/pgbouncer'),
    async stop() {
      bouncer.kill('SIGTERM')
      await ended
    },
  }
}
