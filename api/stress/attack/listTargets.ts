import fc from 'fast-check'
import { newId } from '#api/platform/db/newId.ts'
import type { DescribedCall } from '../fuzz/readDescription.ts'
import { type Entries, references, validEntries, writeObject } from '../fuzz/schemaTexts.ts'

/** A valid call with a value for each parameter. */
export interface TargetCall {
  method: string
  path: string
  body: string | undefined
}

const known: Record<string, string> = {
  email: 'holder@example.com',
  hash: `0x${'ab'.repeat(32)}`,
  wallet: '0x00000000000000000000000000000000000000aa',
}

/** Calls that would end the scanner's session or lock it out. */
const excluded = [
  '/api/logout',
  '/api/admin/logout',
  '/api/auth/sessions',
  '/api/admin/settings/ip-access',
  '/api/admin/settings/credentials',
]

/** Returns every described call that has parameters. */
export function listTargets(endpoints: readonly DescribedCall[]): TargetCall[] {
  return endpoints
    .filter(({ path, params, query, body }) => (params || query || body) && !excluded.includes(path))
    .map((endpoint) => {
      const put = (text: string) => text.replaceAll(references, (_, kind: string) => known[kind] ?? newId())
      const fill = (schema: DescribedCall['body']) => (schema ? fc.sample(validEntries(schema), { seed: 1, numRuns: 12 }) : [])
      const [body] = fill(endpoint.body).toSorted(byCoverage)
      const [query] = fill(endpoint.query).toSorted(byCoverage)
      const search = new URLSearchParams((query ?? []).map(([key, text]): [string, string] => [key, String(JSON.parse(text))]))
      return {
        method: endpoint.method,
        path: put(endpoint.path.replaceAll(/:\w+/g, () => newId()) + (search.size > 0 ? `?${search.toString()}` : '')),
        body: body && put(writeObject(body)),
      }
    })
}

/** Most parameters first, then shortest text. */
const byCoverage = (one: Entries, other: Entries): number =>
  other.length - one.length || writeObject(one).length - writeObject(other).length
