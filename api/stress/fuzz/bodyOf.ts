import fc from 'fast-check'
import { brokenBody, nastyJson } from './nastyTexts.ts'
import { often } from './often.ts'
import type { DescribedCall } from './readDescription.ts'
import { type Entries, validEntries, writeObject } from './schemaTexts.ts'

interface Body {
  kind: string
  text: string | undefined
  headers?: Record<string, string>
  /** The field that is broken. */
  field?: string | undefined
}

/** Generates bodies for an endpoint, most of them broken in one place. */
export function bodyOf(endpoint: DescribedCall): fc.Arbitrary<Body> {
  const json = { 'content-type': 'application/json' }
  const none: Body = { kind: 'no body', text: undefined }
  const broken = brokenBody.map((text): Body => ({ kind: 'broken JSON', text, headers: json }))
  const anything = nastyJson.map((text): Body => ({ kind: 'another JSON value', text, headers: json }))
  if (endpoint.method === 'GET') return often(8, none, fc.oneof(broken, anything))
  if (!endpoint.body) return fc.oneof({ weight: 4, arbitrary: fc.constant(none) }, broken, anything)

  const valid = validEntries(endpoint.body)
  const as = (kind: string, entries: fc.Arbitrary<Entries>): fc.Arbitrary<Body> =>
    entries.map((all) => ({ kind, text: writeObject(all), headers: json }))
  return fc.oneof(
    { weight: 3, arbitrary: as('valid shape', valid) },
    {
      weight: 10,
      arbitrary: breakOne(valid).map(
        ({ entries, field }): Body => ({ kind: 'one field broken', text: writeObject(entries), headers: json, field }),
      ),
    },
    {
      weight: 2,
      arbitrary: as(
        'extra properties',
        fc.tuple(valid, extraProperties).map(([some, more]) => [...some, ...more]),
      ),
    },
    {
      weight: 1,
      arbitrary: as(
        'duplicate keys',
        fc.tuple(breakOne(valid), valid).map(([{ entries }, other]) => [...entries, ...other]),
      ),
    },
    { weight: 2, arbitrary: broken },
    { weight: 2, arbitrary: anything },
    { weight: 1, arbitrary: valid.map((all): Body => ({ kind: 'cut off', text: writeObject(all).slice(0, -1), headers: json })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(valid, otherTypes)
        .map(([all, headers]): Body => ({ kind: 'another type', text: writeObject(all), headers })),
    },
    {
      weight: 1,
      arbitrary: as(
        'too large',
        fc.tuple(valid, fc.constantFrom(60_000, 65_530, 70_000)).map(([all, size]) => [...all, ['x', `"${'x'.repeat(size)}"`]]),
      ),
    },
    { weight: 1, arbitrary: fc.constant(none) },
  )
}

/** Breaks one field and keeps the others valid, so that the broken one reaches the code that uses it. */
function breakOne(valid: fc.Arbitrary<Entries>): fc.Arbitrary<{ entries: Entries; field?: string }> {
  return fc
    .tuple(valid, fc.nat(20), fc.oneof({ weight: 6, arbitrary: nastyJson }, { weight: 1, arbitrary: fc.constant(undefined) }))
    .map(([entries, index, text]) => {
      if (entries.length === 0) return { entries: text === undefined ? [] : [['x', text]] }
      const broken = index % entries.length
      const field = entries[broken]![0]
      const replacement: Entries = text === undefined ? [] : [[field, text]]
      return { entries: entries.toSpliced(broken, 1, ...replacement), field }
    })
}

/** Properties of rows that no caller may set. */
const extraProperties: fc.Arbitrary<Entries> = fc.array(
  fc.tuple(
    fc.constantFrom(
      'id',
      'userId',
      'user',
      'isAdmin',
      'role',
      'status',
      'paymentStatus',
      'balance',
      'amount',
      'unitPrice',
      '__proto__',
      'createdAt',
      'heldQuantity',
      'walletProven',
    ),
    nastyJson,
  ),
  { minLength: 1, maxLength: 4 },
)

const otherTypes = fc.constantFrom<Record<string, string>>(
  {},
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/xml' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/json; charset=nothing' },
  { 'content-type': 'application/json;' },
  { 'content-type': 'application/vnd.api+json' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'APPLICATION/JSON' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json', 'content-encoding': 'identity' },
)
