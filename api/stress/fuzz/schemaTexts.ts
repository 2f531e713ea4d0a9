import fc from 'fast-check'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { nastyString } from './nastyTexts.ts'

/** The subset of JSON Schema that requests are described with. */
export interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: string[]
  const?: string
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** A JSON object as text: its keys, each with its value as JSON. Keys may repeat. */
export type Entries = [key: string, json: string][]

/** A placeholder that the runner replaces by the id of an existing row. */
export const reference = (kind: string, index: number): string => `«${kind}:${index}»`
export const references = /«(\w+):(\d+)»/g

const referenceTo = (...kinds: string[]) =>
  fc.tuple(fc.constantFrom(...kinds), fc.nat(30)).map(([kind, index]) => reference(kind, index))

/** Values by field name that pass the first checks, such as existing rows. */
const knownValues: Record<string, fc.Arbitrary<string>> = {
  id: referenceTo('purchase', 'deposit', 'withdrawal', 'user', 'passkey', 'incident'),
  rawId: referenceTo('passkey'),
  clientDataJSON: fc.constant(
    Buffer.from('{"type":"webauthn.get","challenge":"AAAA","origin":"http://localhost"}').toString('base64url'),
  ),
  userIds: referenceTo('user', 'purchase'),
  purchaseId: referenceTo('purchase', 'deposit'),
  email: referenceTo('email'),
  userEmail: referenceTo('email'),
  transactionHash: referenceTo('hash'),
  walletAddress: referenceTo('wallet'),
  signerAddress: referenceTo('wallet'),
  address: referenceTo('wallet'),
  password: fc.constantFrom(TEST_PASSWORD, 'Wr0ng!word'),
  confirmPassword: fc.constantFrom(TEST_PASSWORD, 'Wr0ng!word'),
  currentPassword: fc.constantFrom(TEST_PASSWORD, 'Wr0ng!word'),
  newPassword: fc.constantFrom(TEST_PASSWORD, 'N3w!password'),
  code: fc.constantFrom('123456', 'abcdef', '      ', '１２３４５６'),
  token: fc.constantFrom('123456', '000000', 'ABCDE-FGHJK'),
  allowedIPs: fc.constantFrom('127.0.0.1', '::1', '203.0.113.7', '2001:db8::1', 'localhost', '10.0.0.0/8', '%'),
  allowedIps: fc.constantFrom('127.0.0.1', '::1', '203.0.113.7', 'localhost'),
  requestedQuantity: fc.constantFrom(1, 2, 10, 19_999, 1_000_000).map(String),
  purchaseAmountUsdt: fc.constantFrom('3', '6', '30', '3.000000000000000001', '0'),
  value: fc.constantFrom('true', 'false', '3', '0', '5', '2030-01-01T09:00:00.000Z', '', '-1', '1e9', '0.0000000000000000001'),
}

/** Generates objects that match the schema's shape. Other rules may still refuse them. */
export function validEntries({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Entries> {
  const parts = Object.entries(properties).map(([key, schema]) =>
    textOf(schema, key).chain((text) =>
      required.includes(key) ? fc.constant<Entries>([[key, text]]) : fc.constantFrom<Entries[]>([[key, text]], []),
    ),
  )
  return parts.length === 0 ? fc.constant([]) : fc.tuple(...parts).map((all) => all.flat())
}

function textOf(schema: JsonSchema, name: string): fc.Arbitrary<string> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => textOf(one, name)))
  if (schema.enum) return fc.constantFrom(...schema.enum.map((value) => JSON.stringify(value)))
  if (schema.const !== undefined) return fc.constant(JSON.stringify(schema.const))
  const { type } = schema
  if (type === 'object') return validEntries(schema).map(writeObject)
  if (type === 'array')
    return fc.array(textOf(schema.items ?? {}, name), { minLength: 1, maxLength: 4 }).map((texts) => `[${texts.join(',')}]`)
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  if (type === 'null') return fc.constant('null')
  if (type === 'integer' || type === 'number') return fc.oneof(knownValues[name] ?? fc.constant('1'), numberOf(schema))
  return fc
    .oneof(
      { weight: 3, arbitrary: knownValues[name] ?? fc.constant('text') },
      { weight: 2, arbitrary: stringOf(schema) },
      { weight: 1, arbitrary: nastyString },
    )
    .map((text) => JSON.stringify(text))
}

function numberOf({ type, minimum = 0, maximum = 1e9 }: JsonSchema): fc.Arbitrary<string> {
  const numbers =
    type === 'integer' ? fc.integer({ min: minimum, max: maximum }) : fc.double({ min: minimum, max: maximum, noNaN: true })
  return fc.oneof(numbers, fc.constantFrom(minimum, maximum)).map(String)
}

function stringOf({ pattern, minLength = 0, maxLength = 300 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern) return fc.stringMatching(new RegExp(pattern))
  return fc.oneof(anyText, fc.constantFrom('x'.repeat(minLength), 'x'.repeat(maxLength)))
}

/** Created once, because its alphabet is large. */
const anyText = fc.string({ unit: 'grapheme', maxLength: 60 })

export const writeObject = (entries: Entries): string =>
  `{${entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`
