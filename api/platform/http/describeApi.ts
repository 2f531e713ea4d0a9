import { z } from 'zod'
import { type AdminRole, adminRoles, mayCall } from '#shared/adminRoles.ts'
import type { Access, Endpoint } from '#shared/contract/endpoint.ts'
import { proposed } from '#shared/contract/admin/proposals.ts'
import { callTexts } from '#shared/contract/callTexts.ts'
import { API_VERSION } from '#shared/contract/openApi.ts'
import { errorBody } from '#shared/errors.ts'

type Json = Record<string, unknown>

const ABOUT =
  `Amounts are decimal strings of whole tokens, with up to 18 decimals: "2995.5". Instants are ISO 8601 in UTC. Clients ignore
fields that they do not know, and switch on \`code\`, never on \`message\`.

**Idempotency.** A call that moves nodes or XCR takes an \`Idempotency-Key\` of up to 200 visible ASCII characters, and one key has one
effect within 24 hours. The answer to a repeated call has \`Idempotent-Replayed: true\`. The same key with another request is refused with
\`idempotency_key_reused\`. Refusals are not kept, so a refused call may be repeated with its key. Repeat a call whose answer was lost, or
that was answered with 5xx, with the same key.

**Lists.** A list with pages takes \`limit\`, up to 100, and \`offset\`, and answers with its totals. A page beyond the end is empty and has the same
totals. \`page\`, counted from 1, replaces \`offset\` where it is described.

**Rate limits.** A call beyond its limit is refused with 429 and \`Retry-After\`, in seconds.

**Changes.** New calls, fields, codes and values may be added at any time. Anything that an existing client could notice otherwise is
announced, and changes \`X-API-Version\`. Every answer has an \`X-Request-Id\`; tell it to support.`.replaceAll(
    /(?<!\n)\n(?!\n)/g,
    ' ',
  )

/** Statuses of the refusals that every call may answer with, besides its own. */
const commonRefusals: Record<string, string> = {
  400: 'The request is not valid, or one of the rules behind `code` refuses it. `details` names the fields.',
  429: 'Too many calls.',
  500: 'A defect on our side. Nothing was lost.',
  503: 'Unavailable for a moment; nothing was lost. A change without an `Idempotency-Key` may have been made all the same: check before you repeat it.',
}

const accessWords: Record<Access, string> = {
  public: 'Open to everybody.',
  user: 'For a logged-in account.',
  admin: 'For a logged-in administrator from an allowed address.',
}

/** The OpenAPI 3.1 document of these endpoints. */
export function describeApi(endpoints: readonly Endpoint[]): Json & { openapi: string; paths: Record<string, Json> } {
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: describeEndpoint(endpoint) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'XCR Nodes', version: API_VERSION, description: ABOUT },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: {
        user: { type: 'apiKey', in: 'cookie', name: '__Host-user_session', description: 'Set by `POST /api/login`.' },
        admin: { type: 'apiKey', in: 'cookie', name: '__Host-admin_session', description: 'Set by `POST /api/admin/login`.' },
      },
      schemas: { Error: schemaOf(errorBody) },
      responses: {
        Refusal: {
          description: 'A refusal.',
          headers: { 'X-Request-Id': { schema: { type: 'string' } }, 'Retry-After': { schema: { type: 'integer' } } },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  }
}

function describeEndpoint(endpoint: Endpoint): Json {
  const { method, path, access, roles, approvers, limit, params, query, body, status = 200, idempotent } = endpoint
  const errors = [...(endpoint.errors ?? []), ...(approvers ? (['too_many_proposals'] as const) : [])]
  const words = path.split('/').slice(2)
  const statuses = { ...commonRefusals, ...(access !== 'public' && { 401: 'There is no session.', 403: 'Not allowed.' }) }
  const [summary = '', ...details] = (callTexts[`${method} ${path}`] ?? '').split(/(?<=\.) /)
  return {
    summary: summary.replace(/\.$/, ''),
    operationId: [method.toLowerCase(), ...words.map((word) => word.replaceAll(/\W/g, '_'))].join('_'),
    tags: [words[0]!],
    description: [
      ...details,
      accessWords[access],
      ...(roles ? [wordsOfRoles(roles)] : []),
      ...(limit === 'none' || limit === 'failures' ? [] : [`Limited by \`${limit}\`.`]),
      ...(idempotent ? ['Takes an `Idempotency-Key`.'] : []),
      ...(errors.length > 0 ? [`Its own codes: ${errors.map((code) => `\`${code}\``).join(', ')}.`] : []),
    ].join(' '),
    security: access === 'public' ? [] : [{ [access]: [] }],
    ...(roles && { 'x-roles': adminRoles.filter((role) => mayCall(role, endpoint)) }),
    ...(limit !== 'none' && limit !== 'failures' && { 'x-rate-limit': limit }),
    ...(errors.length > 0 && { 'x-codes': errors }),
    parameters: [
      ...parametersOf('path', params),
      ...parametersOf('query', query),
      ...(idempotent
        ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' } }]
        : []),
    ],
    ...(body && { requestBody: { required: !isOptional(body), content: { 'application/json': { schema: schemaOf(body) } } } }),
    responses: {
      [status]: describeAnswer(endpoint),
      ...(approvers && { 202: describeProposed(approvers) }),
      ...Object.fromEntries(
        Object.entries(statuses).map(([refused, description]) => [
          refused,
          { $ref: '#/components/responses/Refusal', description },
        ]),
      ),
    },
  }
}

/** Whether the call works without a body. */
const isOptional = (body: z.ZodType): boolean => z.safeDecode(body, {} as never).success

function wordsOfRoles(roles: readonly AdminRole[]): string {
  const all = adminRoles.filter((role) => mayCall(role, { roles }))
  return all.length === adminRoles.length ? 'In any role.' : `In the role ${all.join(' or ')}.`
}

function describeAnswer({ response, idempotent }: Endpoint): Json {
  const headers = {
    'X-Request-Id': { schema: { type: 'string' } },
    'X-API-Version': { schema: { type: 'string' } },
    ...(idempotent && { 'Idempotent-Replayed': { schema: { const: 'true' } } }),
  }
  if (response instanceof z.ZodNever) return { description: 'A file.', headers, content: { 'application/octet-stream': {} } }
  return { description: 'Success.', headers, content: { 'application/json': { schema: schemaOf(response, { isAnswer: true }) } } }
}

const describeProposed = (approvers: readonly AdminRole[]): Json => ({
  description: `Has no effect until another administrator approves it. ${wordsOfRoles(approvers)}`,
  headers: { 'X-Request-Id': { schema: { type: 'string' } }, 'X-API-Version': { schema: { type: 'string' } } },
  content: { 'application/json': { schema: schemaOf(proposed, { isAnswer: true }) } },
})

function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema) as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(properties).map(([name, one]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: one,
  }))
}

/** Both directions have the wire's form: in that of the code amounts are bigints, which JSON Schema does not know. */
function schemaOf(schema: z.ZodType, { isAnswer = false } = {}): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // An answer has the fields that a request may leave out for their default.
      if (!isAnswer || !(zodSchema instanceof z.ZodObject)) return
      const filled = Object.entries(zodSchema.shape).flatMap(([name, field]) => (field instanceof z.ZodDefault ? [name] : []))
      if (filled.length > 0) jsonSchema.required = [...(jsonSchema.required ?? []), ...filled]
    },
  })
  return described
}
