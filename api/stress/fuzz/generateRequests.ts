import fc from 'fast-check'
import { nameOf } from '#api/testing/readContract.ts'
import { type Caller, callers } from '#api/testing/callers.ts'
import { bodyOf } from './bodyOf.ts'
import { nastyString } from './nastyTexts.ts'
import { often } from './often.ts'
import type { DescribedCall } from './readDescription.ts'
import { references, validEntries } from './schemaTexts.ts'

export interface FuzzRequest {
  endpoint: DescribedCall
  /** The kind of its body, for the report. */
  kind: string
  /** What it tries: its caller, the kind of its body, and each other defect. */
  traits: readonly string[]
  caller: Caller
  method: string
  /** Encoded, with the query. */
  path: string
  headers: Record<string, string>
  body: string | undefined
  /** `truncated` closes the connection during the body, `slow` sends it in small parts, `chunked` sends it without a length. */
  delivery: 'whole' | 'truncated' | 'slow' | 'chunked'
}

/** A part of the URL. */
interface Part {
  kind: string
  text: string
}

/** Generates requests to one endpoint. The same seed gives the same requests. */
export function generateRequests(endpoint: DescribedCall, { seed, count }: { seed: number; count: number }): FuzzRequest[] {
  return fc.sample(requestTo(endpoint), { seed: mix(seed, nameOf(endpoint)), numRuns: count })
}

/** Mixes the name into the seed, so that the input of an endpoint does not depend on the others. */
function mix(seed: number, name: string): number {
  let hash = seed | 0
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0
  return hash
}

function requestTo(endpoint: DescribedCall): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      caller: callerOf(endpoint),
      path: pathOf(endpoint),
      query: queryOf(endpoint),
      body: bodyOf(endpoint),
      method: often(20, endpoint.method as string, fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
      extra: often(6, {}, oddHeaders),
      delivery: often<FuzzRequest['delivery']>(15, 'whole', fc.constantFrom('truncated', 'slow', 'chunked')),
      key: fc.constantFrom('', 'again', 'x'.repeat(201), 'a b'),
    })
    .map(({ caller, path, query, body, method, extra, key, ...generated }) => {
      // A truncated body makes no difference if the server does not read it.
      const delivery =
        body.text && (generated.delivery !== 'truncated' || readsBody(method)) ? generated.delivery : ('whole' as const)
      return {
        endpoint,
        kind: body.kind,
        traits: [
          `as ${caller}`,
          body.kind,
          path.kind,
          query.kind,
          `${delivery} body`,
          ...(body.field === undefined ? [] : [`broken field ${body.field}`]),
          ...(method === endpoint.method ? [] : ['another method']),
          ...Object.keys(extra).map((name) => `odd ${name}`),
          ...(endpoint.idempotent && key ? [`key of ${key.length} characters`] : []),
        ],
        caller,
        method,
        path: path.text + query.text,
        headers: { ...body.headers, ...extra, ...(endpoint.idempotent && key && { 'idempotency-key': key }) },
        body: body.text,
        delivery,
      }
    })
}

/** Of generated requests, the first of each trait: what fewer requests can try. */
export function pickFirstOfEachTrait(requests: readonly FuzzRequest[]): FuzzRequest[] {
  const tried = new Set<string>()
  return requests.filter(({ traits }) => {
    const before = tried.size
    for (const trait of traits) tried.add(trait)
    return tried.size > before
  })
}

/** Whether the server reads a body with this method. */
export const readsBody = (method: string): boolean => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)

/** Mostly callers with access, because only their input reaches the handler. */
function callerOf({ access }: DescribedCall): fc.Arbitrary<Caller> {
  const allowed: Record<DescribedCall['access'], Caller[]> = { public: ['visitor', 'user'], user: ['user'], admin: ['admin'] }
  return fc.oneof(
    { weight: 7, arbitrary: fc.constantFrom(...allowed[access]) },
    { weight: 3, arbitrary: fc.constantFrom(...callers) },
  )
}

function pathOf(endpoint: DescribedCall): fc.Arbitrary<Part> {
  const as = (kind: string, texts: fc.Arbitrary<string>) => texts.map((text): Part => ({ kind, text }))
  if (!endpoint.params) return as('fixed path', fc.constant(endpoint.path))
  const valid = validEntries(endpoint.params).map((entries) => {
    const values = Object.fromEntries(entries)
    return endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeSegment(String(JSON.parse(values[name]!))))
  })
  const nasty = nastyString.map((text) => endpoint.path.replaceAll(/:\w+/g, encodeSegment(text)))
  const raw = fc
    .constantFrom('%', '%zz', '%c0%af', '%2e%2e', '..', '%00', '%ud800', '*', ';', '', 'a/b')
    .map((segment) => endpoint.path.replaceAll(/:\w+/g, segment))
  return fc.oneof(
    { weight: 8, arbitrary: as('valid path', valid) },
    { weight: 2, arbitrary: as('odd path', nasty) },
    { weight: 1, arbitrary: as('broken path', raw) },
  )
}

/** Encodes like a browser: lone surrogates become replacement characters. Keeps references, which are filled in later. */
const encodeSegment = (text: string): string => keepReferences(encodeURIComponent(text.toWellFormed()))
const encodedReferences = /%C2%AB(\w+)%3A(\d+)%C2%BB/g
const keepReferences = (text: string): string => text.replaceAll(encodedReferences, '«$1:$2»')

function queryOf({ query }: DescribedCall): fc.Arbitrary<Part> {
  const as = (kind: string, texts: fc.Arbitrary<string>) => texts.map((text): Part => ({ kind, text }))
  const name = (known: string[]) => fc.constantFrom(...known, 'limit', 'offset', 'page', '__proto__', 'constructor', 'x[]', '')
  const nasty = (known: string[]) =>
    fc.tuple(
      name(known),
      nastyString.map((text) => text.slice(0, 3_000)),
    )
  const write = (pairs: [string, string][]) =>
    pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${encodeSegment(key)}=${encodeSegment(value)}`).join('&')}`
  if (!query)
    return often(12, { kind: 'no query', text: '' }, as('unknown query', fc.array(nasty([]), { maxLength: 2 }).map(write)))
  const valid = validEntries(query).map((entries) =>
    entries.map(([key, text]): [string, string] => [key, String(JSON.parse(text))]),
  )
  const known = Object.keys(query.properties ?? {})
  return fc.oneof(
    { weight: 3, arbitrary: as('valid query', valid.map(write)) },
    {
      weight: 6,
      arbitrary: as(
        'odd query',
        fc.tuple(valid, fc.array(nasty(known), { minLength: 1, maxLength: 3 })).map(([some, more]) => write([...some, ...more])),
      ),
    },
    {
      weight: 1,
      arbitrary: as(
        'broken query',
        fc.constantFrom('?', '?&&&', '?=', '?%', '?%ff=%ff', '?a[b][c]=1', '?limit', '??', '?limit=1;offset=2'),
      ),
    },
  )
}

const oddHeaders = fc.constantFrom<Record<string, string>>(
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { host: 'evil.example' },
  { host: '' },
  { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
  { 'x-forwarded-for': 'nobody' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  { 'x-http-method-override': 'DELETE' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { 'accept-encoding': 'gzip;q=2, *' },
  { accept: 'text/html' },
  { referer: 'javascript:1' },
  { 'user-agent': 'x'.repeat(5_000) },
  { cookie: 'user_session=; admin_session=; browser=%' },
  { cookie: `user_session=${'x'.repeat(3_000)}` },
  { cookie: 'user_session="; user_session=__proto__' },
  { 'idempotency-key': '\u00ff' },
  { 'idempotency-key': 'a\tb' },
  { 'x-request-id': 'a"b{}' },
)

/** Replaces references with rows of the test data. */
export function fill(request: FuzzRequest, world: Record<string, string[]>): FuzzRequest {
  const put = (text: string) =>
    text.replaceAll(references, (_, kind: string, index: string) => {
      const all = world[kind] ?? []
      return all[Number(index) % all.length] ?? ''
    })
  return { ...request, path: put(request.path), body: request.body === undefined ? undefined : put(request.body) }
}
