import { existsSync, globSync } from 'node:fs'
import path from 'node:path'

/** A required program is not installed. */
export class ToolMissingError extends Error {
  override name = 'ToolMissingError'
}

const tools = {
  etcd: { debianPackage: 'etcd-server', alsoIn: '/usr/bin/etcd' },
  go: { debianPackage: 'golang-go golang-golang-x-mod-dev', alsoIn: '/usr/bin/go' },
  haproxy: { debianPackage: 'haproxy', alsoIn: '/usr/sbin/haproxy' },
  ip: { debianPackage: 'iproute2', alsoIn: '/usr/sbin/ip' },
  openssl: { debianPackage: 'openssl', alsoIn: '/usr/bin/openssl' },
  patroni: { debianPackage: 'patroni python3-etcd postgresql-15', alsoIn: '/usr/bin/patroni' },
  pgbench: { debianPackage: 'postgresql-contrib', alsoIn: '/usr/lib/postgresql/*/bin/pgbench' },
  pg_dump: { debianPackage: 'postgresql-client', alsoIn: '/usr/lib/postgresql/*/bin/pg_dump' },
  pg_restore: { debianPackage: 'postgresql-client', alsoIn: '/usr/lib/postgresql/*/bin/pg_restore' },
  promtool: { debianPackage: 'prometheus', alsoIn: '/usr/bin/promtool' },
  psql: { debianPackage: 'postgresql-client', alsoIn: '/usr/lib/postgresql/*/bin/psql' },
  nginx: { debianPackage: 'nginx-light', alsoIn: '/usr/sbin/nginx' },
  pgbouncer: { debianPackage: 'pgbouncer', alsoIn: '/usr/sbin/pgbouncer' },
  python3: { debianPackage: 'python3', alsoIn: '/usr/bin/python3' },
  sqlmap: { debianPackage: 'sqlmap', alsoIn: '/usr/bin/sqlmap' },
  wapiti: { debianPackage: 'wapiti', alsoIn: '/usr/bin/wapiti' },
  wrk: { debianPackage: 'wrk', alsoIn: '/usr/local/bin/wrk' },
} as const

export type Tool = keyof typeof tools

/** @throws {ToolMissingError} with the Debian packages of all missing programs. */
export function requireTools(...needed: readonly Tool[]): void {
  const missing = needed.filter((name) => !lookFor(name))
  if (missing.length > 0) {
    const packages = missing.map((name) => tools[name].debianPackage)
    throw new ToolMissingError(`This needs ${missing.join(' and ')}. On Debian: apt-get install ${packages.join(' ')}`)
  }
}

export const hasTool = (name: Tool): boolean => lookFor(name) !== undefined

/** Returns the path of a program. */
export const findTool = (name: Tool): string => lookFor(name) ?? name

function lookFor(name: Tool): string | undefined {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name))
  return [...onPath, ...globSync(tools[name].alsoIn).toSorted().toReversed()].find((file) => existsSync(file))
}
