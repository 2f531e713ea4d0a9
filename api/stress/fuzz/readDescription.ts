import { z } from 'zod'
import type { Access } from '#shared/contract/endpoint.ts'
import { getOpenApi } from '#shared/contract/openApi.ts'
import type { JsonSchema } from './schemaTexts.ts'

/** A call as the running product describes it in its OpenAPI document. */
export interface DescribedCall {
  method: string
  /** With parameters as in the contract: `/api/things/:id`. */
  path: string
  access: Access
  idempotent: boolean
  /** Its own error codes. */
  errors: readonly string[]
  params?: JsonSchema
  query?: JsonSchema
  body?: JsonSchema
  /** The status of its success. */
  status: number
  /** Absent for a file. */
  answer?: JsonSchema
}

const schema = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonSchema>
const content = z.record(z.string(), z.object({ schema: schema.optional() }))
const operation = z.object({
  security: z.array(z.partialRecord(z.enum(['user', 'admin']), z.unknown())),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean().default(false), schema })),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content: content.optional() })),
  'x-codes': z.array(z.string()).default([]),
})
type Operation = z.output<typeof operation>

/** The calls of the running product, read from its own description, so that a wrong description is found. */
export async function readDescription(url: string): Promise<DescribedCall[]> {
  return callsOf(await (await fetch(url + getOpenApi.path)).json())
}

/** The calls of an OpenAPI document. */
export function callsOf(document: unknown): DescribedCall[] {
  return Object.entries(getOpenApi.response.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(z.record(z.string(), operation).parse(methods)).map(([method, described]) =>
      callOf(described, { method: method.toUpperCase(), path: path.replaceAll(/\{(\w+)\}/g, ':$1') }),
    ),
  )
}

function callOf(described: Operation, name: Pick<DescribedCall, 'method' | 'path'>): DescribedCall {
  const { security, parameters, requestBody, responses } = described
  const [params, query] = [objectOf(parameters, 'path'), objectOf(parameters, 'query')]
  const body = requestBody?.content['application/json']?.schema
  const [status, success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  if (!success) throw new Error(`${name.method} ${name.path} describes no success.`)
  const answer = success.content?.['application/json']?.schema
  return {
    ...name,
    access: (Object.keys(security[0] ?? {})[0] as Access | undefined) ?? 'public',
    idempotent: parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key'),
    errors: described['x-codes'],
    ...(params && { params }),
    ...(query && { query }),
    ...(body && { body }),
    status: Number(status),
    ...(answer && { answer }),
  }
}

/** The parameters of one place as a schema of all of them. */
function objectOf(parameters: Operation['parameters'], place: string): JsonSchema | undefined {
  const all = parameters.filter((one) => one.in === place)
  if (all.length === 0) return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(all.map(({ name, schema }) => [name, schema])),
    required: all.filter(({ required }) => required).map(({ name }) => name),
  }
}
