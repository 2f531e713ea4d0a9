import type { Context } from 'koa'
import { z } from 'zod'
import { withoutProof } from '#shared/contract/admin/proof.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { refusal } from '../errors.ts'

/** What the client sent, as the contract describes it. @throws 400 */
export function decodeInput(endpoint: Endpoint, ctx: Context): object {
  if (endpoint.idempotent && endpoint.body) refuseUnknownFields(endpoint, ctx)
  return {
    ...(endpoint.params && { params: decode(endpoint.params, ctx.params) }),
    ...(endpoint.query && { query: decode(endpoint.query, { ...ctx.query }) }),
    ...(endpoint.body && { body: decode(endpoint.body, ctx.request.body ?? {}) }),
  }
}

/**
 * The body as the contract writes it: known fields, in the contract's order and form. What confirms a decision is no part of it: the same
 * decision may be sent again with the next code.
 */
export function canonicalBody({ body, approvers }: Endpoint, decoded: object): unknown {
  const written: unknown = z.encode(body!, (decoded as { body: unknown }).body as never)
  return approvers ? withoutProof(written as object) : written
}

function refuseUnknownFields({ body, unknownFields }: Endpoint, ctx: Context): void {
  const given: unknown = ctx.request.body
  if (!(body instanceof z.ZodObject) || typeof given !== 'object' || given === null) return
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(body.shape, name))
  if (unknown.length === 0) return
  const known = Object.keys(body.shape).join(', ')
  if (unknownFields === 'warned') return ctx.set('Warning', `299 - "Unknown fields were ignored; known are ${known}."`)
  throw refusal(
    400,
    'invalid_request',
    `Unknown field: ${unknown[0]}. This call takes ${known}.`,
    Object.fromEntries(unknown.map((name) => [name || 'body', 'Unknown field.'])),
  )
}

/** Invalid input is a 400; any other mismatch with a schema is a bug. */
function decode(schema: z.ZodType, value: unknown): unknown {
  const result = z.safeDecode(schema, value as never)
  if (result.success) {
    if (isStorable(result.data)) return result.data
    throw refusal(400, 'invalid_request', 'The text contains characters that cannot be stored.')
  }
  const { issues } = result.error
  const details: Record<string, string> = {}
  for (const { path, message } of issues) {
    const field = path.join('.') || 'body'
    details[field] = Object.hasOwn(details, field) ? `${details[field]} ${message}` : message
  }
  throw refusal(400, 'invalid_request', describeIssue(issues[0]), details)
}

/** The library's own sentences do not say which field they are about, those of the contract do. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'The request is not valid.'
  const field = issue.path
    .map(String)
    .join(' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, next: string) => `${before} ${next.toLowerCase()}`)
  return field && /^(Invalid|Too|Unrecognized)\b/.test(issue.message) ? `${field}: ${issue.message}` : issue.message
}

/** PostgreSQL stores neither text with NUL characters nor JSON with lone surrogates. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}
