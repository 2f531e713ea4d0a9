/** `read-write`: the primary. `standby`: a copy that follows it. */
export type Target = 'any' | 'read-write' | 'standby'

export interface DatabaseHost {
  host: string
  port: number
}

export interface DatabaseUrl {
  hosts: readonly DatabaseHost[]
  /** With several hosts, the one to use: libpq's parameter `target_session_attrs`, `read-write` unless set. */
  target: Target
  /** The URL with the first host only, without that parameter, which the driver and the ORM understand. */
  connectionString: string
}

const schemes = ['postgres://', 'postgresql://']
const targets: readonly string[] = ['any', 'read-write', 'standby'] satisfies Target[]
const DEFAULT_PORT = 5_432
const ONE_HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i

/**
 * Reads a URL of PostgreSQL that may name several hosts, as libpq does: `postgres://user:password@db1:5432,db2:5432/xcr`.
 *
 * @throws if it is no such URL.
 */
export function readDatabaseUrl(url: string): DatabaseUrl {
  const scheme = schemes.find((each) => url.startsWith(each))
  if (scheme === undefined) throw new Error('must be a URL of PostgreSQL')
  const afterScheme = url.slice(scheme.length)
  const end = afterScheme.search(/[/?#]/)
  const authority = end < 0 ? afterScheme : afterScheme.slice(0, end)
  const rest = afterScheme.slice(authority.length)
  const listStart = authority.lastIndexOf('@') + 1
  const start = scheme + authority.slice(0, listStart)
  const hosts = authority
    .slice(listStart)
    .split(',')
    .map((text) => {
      const [, host, port] = ONE_HOST.exec(text) ?? []
      if (host === undefined) throw new Error('must name its hosts as host:port, separated by commas')
      return { text, host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) }
    })
  const first = new URL(`${start}${hosts[0]!.text}${rest}`)
  const target = first.searchParams.get('target_session_attrs') ?? (hosts.length > 1 ? 'read-write' : 'any')
  if (!targets.includes(target)) throw new Error(`target_session_attrs must be one of ${targets.join(', ')}`)
  first.searchParams.delete('target_session_attrs')
  return {
    hosts: hosts.map(({ host, port }) => ({ host, port })),
    target: target as Target,
    connectionString: first.href,
  }
}

/** Whether a text is such a URL. */
export function isDatabaseUrl(url: string): boolean {
  try {
    return readDatabaseUrl(url).hosts.length > 0
  } catch {
    return false
  }
}
