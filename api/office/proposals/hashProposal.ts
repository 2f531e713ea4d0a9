import { createHash } from 'node:crypto'

interface Hashed {
  call: string
  arguments: unknown
  before: unknown
}

/** SHA-256 of what an approval approves. The order of fields does not count: the database stores them in its own. */
export const hashProposal = ({ call, arguments: given, before }: Hashed): string =>
  createHash('sha256')
    .update(canonical({ call, arguments: given, before: before ?? null }))
    .digest('hex')

/** A value as JSON with sorted keys. */
export const canonical = (value: unknown): string => JSON.stringify(sortKeys(JSON.parse(JSON.stringify(value ?? null))))

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}
