import querystring from 'node:querystring'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { type ErrorCode, errorBody } from '#shared/errors.ts'
import type { Caller } from '#api/testing/callers.ts'
import { type FuzzRequest, readsBody } from './generateRequests.ts'
import type { DescribedCall } from './readDescription.ts'
import type { JsonSchema } from './schemaTexts.ts'
import type { Answer } from './sendRequest.ts'

/** Error codes that every endpoint may return. `internal` is not allowed. */
const general: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'cross_site',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'payload_too_large',
  'rate_limited',
]
const ofIdempotent: readonly ErrorCode[] = ['idempotency_key_reused', 'request_in_progress']

/** Implementation details that must not appear in an answer. */
const internals =
  /\bat [\w.<>]+ \(|node_modules|node:internal|\.ts:\d|\/api\/\w+\/\w+\.ts|\bselect\b.+\bfrom\b|\binsert into\b|\bupdate \w+ set\b|\bdelete from\b|syntax error|relation "|column "|violates|duplicate key|Driver\w*Exception|mikro-?orm|pgboss|ECONNREFUSED|ZodError|TypeError|Cannot read prop|is not a function/i

export const mayCall = ({ access }: DescribedCall, caller: Caller): boolean =>
  access === 'public' || (access === 'user' ? caller === 'user' || caller === 'other user' : caller === 'admin')

/** Whether a request is as described, so that it may be accepted. */
export function fitsDescription({ endpoint, caller, method, path, headers, body, delivery }: FuzzRequest): boolean {
  if (method !== endpoint.method || !mayCall(endpoint, caller) || delivery === 'truncated') return false
  const [pathname, query] = splitAt(path, '?')
  if (endpoint.params && !fits(endpoint.params, readParams(endpoint.path, pathname), ajvOfUrl)) return false
  if (endpoint.query && !fits(endpoint.query, { ...querystring.parse(query) }, ajvOfUrl)) return false
  if (body === undefined || body === '') return !endpoint.body || fits(endpoint.body, {})
  if (headers['content-encoding'] !== undefined) return false
  if (!/^application\/json/i.test(headers['content-type'] ?? '')) return false
  if (Buffer.byteLength(body) > 65_536) return false
  if (!readsBody(method)) return true
  // Invalid JSON is refused even if the endpoint has no body.
  const read = readJson(body)
  return read !== undefined && (!endpoint.body || fits(endpoint.body, read.value))
}

/** Formats have patterns too. The patterns are those of the contract's own regular expressions. */
const options = { strict: false, validateFormats: false, unicodeRegExp: false }
const ajv = new Ajv2020(options)
/** In an URL everything is text: `7` is an integer. */
const ajvOfUrl = new Ajv2020({ ...options, coerceTypes: true })
const compiled = new WeakMap<JsonSchema, ValidateFunction>()

function fits(schema: JsonSchema, value: unknown, compiler = ajv): boolean {
  const validate = compiled.get(schema) ?? compiler.compile(schema)
  compiled.set(schema, validate)
  return validate(value)
}

function readParams(pattern: string, pathname: string): Record<string, string> {
  const found = new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]*)')}$`).exec(pathname)?.groups ?? {}
  return Object.fromEntries(Object.entries(found).map(([name, text]) => [name, decodeSegment(text)]))
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function readJson(text: string): { value: unknown } | undefined {
  try {
    // The byte order mark is not part of the text.
    return { value: JSON.parse(text.toWellFormed().replace(/^\uFEFF/, '')) }
  } catch {
    return undefined
  }
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

export const isAccepted = ({ status }: Answer): boolean => status < 400

/** Returns what an answer does otherwise than described. */
export function judgeAnswer(request: FuzzRequest, answer: Answer): string[] {
  const { endpoint, method } = request
  const { status, headers, text } = answer
  const wrong: string[] = []
  if (status >= 500) wrong.push(`answered ${status}`)
  if (headers['x-content-type-options'] !== 'nosniff') wrong.push('without the security headers')
  if (headers['x-injected'] !== undefined) wrong.push('allowed header injection')

  if (status < 300) {
    if (!fitsDescription(request) && !['HEAD', 'OPTIONS'].includes(method) && method === endpoint.method)
      wrong.push('accepted a request that does not match the description')
    if (method === endpoint.method) wrong.push(...judgeSuccess(endpoint, answer))
    return wrong
  }
  if (status < 400) return status === 304 || status === 302 ? wrong : [...wrong, `answered ${status}`]
  if (internals.test(text)) wrong.push('exposed implementation details')
  if (method === 'HEAD') return wrong
  const parsed = errorBody.strict().safeParse(readJson(text)?.value)
  if (!parsed.success) return [...wrong, 'refused with an invalid error body']
  const { code } = parsed.data
  const known: string[] = [
    ...general,
    ...endpoint.errors,
    ...(endpoint.idempotent ? ofIdempotent : []),
    ...(endpoint.path.startsWith('/api/admin/') ? ['ip_not_allowed'] : []),
  ]
  if (method === endpoint.method && !known.includes(code)) wrong.push(`refused with ${code}, which is not in the description`)
  if (mayCall(endpoint, request.caller) && code === 'unauthenticated' && !('cookie' in request.headers))
    wrong.push('did not recognize a logged-in caller')
  return wrong
}

function judgeSuccess(endpoint: DescribedCall, { status, headers, text }: Answer): string[] {
  const type = String(headers['content-type'])
  if (!endpoint.answer) return /^(application\/vnd\.openxmlformats|text\/csv;)/.test(type) ? [] : [`sent a file of type ${type}`]
  const wrong = status === endpoint.status ? [] : [`answered ${status}`]
  const read = readJson(text)
  if (!read || !fits(endpoint.answer, read.value)) wrong.push('answered with a body that does not match the description')
  if (!type.startsWith('application/json')) wrong.push(`sent JSON as ${type}`)
  return wrong
}
