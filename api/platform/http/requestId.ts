import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'

/** A request ID from a proxy is accepted if it cannot be confused with other parts of a log line. */
const acceptable = /^[\w.:+/=-]{1,100}$/

/** Gives a request an ID, the caller's own if present, and returns it in the response. */
export function setRequestId(ctx: Context): string {
  const given = ctx.get('x-request-id')
  const requestId = acceptable.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', requestId)
  return requestId
}
