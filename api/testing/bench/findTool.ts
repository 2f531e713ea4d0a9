import { existsSync, globSync } from 'node:fs'
import path from 'node:path'

/** A program the measurements need is not installed. */
export class ToolMissingError extends Error {
  override name = 'ToolMissingError'
}

const tools = {
  pgbench: { debianPackage: 'postgresql-contrib', alsoIn: '/usr/lib/postgresql/*/bin/pgbench' },
  psql: { debianPackage: 'postgresql-client', alsoIn: '/usr/lib/postgresql/*/bin/psql' },
  wrk: { debianPackage: 'wrk', alsoIn: '/usr/local/bin/wrk' },
} as const

type Tool = keyof typeof tools

/** @throws {ToolMissingError} naming the Debian packages of all that are missing. */
export function requireTools(): void {
  const missing = (Object.keys(tools) as Tool[]).filter((name) => !lookFor(name))
  if (missing.length > 0) {
    const packages = missing.map((name) => tools[name].debianPackage)
    throw new ToolMissingError(`The benchmark needs ${missing.join(' and ')}. On Debian: apt-get install ${packages.join(' ')}`)
  }
}

/** Where a program is. */
export const findTool = (name: Tool): string => lookFor(name) ?? name

function lookFor(name: Tool): string | undefined {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, name))
  return [...onPath, ...globSync(tools[name].alsoIn).toSorted().toReversed()].find((file) => existsSync(file))
}
