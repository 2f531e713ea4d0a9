import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { z } from 'zod'
import type { Endpoint, Output } from '#shared/contract/endpoint.ts'
import { SECOND } from '#shared/dates.ts'
import { listsTag } from '#api/platform/http/listsTag.ts'

/** An answer that is the same for every caller, kept in memory. */
export interface Answer {
  /** The path of the contract, under which it is counted. */
  route: string
  body: string
  headers: { 'Content-Type': string; 'Cache-Control': string; ETag: string }
  /** The time at which the answer was true, in milliseconds since the epoch. Undefined for one that changes with a release only. */
  asOf?: number
}

/** Pages of other sites may read these answers too. */
const openToAll = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Age, ETag, X-API-Version, X-Request-Id',
}

/** What browsers ask before they send a condition from another site. */
const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD',
  'Access-Control-Allow-Headers': 'Cache-Control, If-None-Match, X-Request-Id',
  'Access-Control-Max-Age': '86400',
}

/**
 * @param keptFor how long clients may keep it, in milliseconds.
 * @param asOf see `Answer`.
 */
export function answerOf<E extends Endpoint>(
  { path: route, response }: E,
  value: Output<E>,
  keptFor: number,
  asOf?: number,
): Answer {
  const body = JSON.stringify(z.encode(response as z.ZodType, value))
  return {
    route,
    body,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': `public, max-age=${keptFor / SECOND}`,
      ETag: `"${createHash('sha1').update(body).digest('base64url')}"`,
    },
    ...(asOf !== undefined && { asOf }),
  }
}

/** Answers GET, HEAD and the question of a browser whether another site's page may read it. An old answer states its age. */
export function sendAnswer(ctx: Context, { headers, body, asOf }: Answer): void {
  ctx.set(openToAll)
  if (ctx.method === 'OPTIONS') {
    ctx.set(preflight)
    ctx.status = 204
    return
  }
  ctx.set(headers)
  const age = asOf === undefined ? 0 : Math.floor((Date.now() - asOf) / SECOND)
  if (age > 0) ctx.set('Age', String(age))
  ctx.body = body
  if (listsTag(ctx.headers['if-none-match'], headers.ETag)) ctx.status = 304
}
