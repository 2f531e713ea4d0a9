import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import type { Metrics } from './createMetrics.ts'
import type { Log } from '#api/platform/log/createLog.ts'

interface ObservedState {
  requestId: string
}

/** A proxy's own name for the request, as long as it cannot be taken for anything else in a log. */
const acceptable = /^[\w.:+/=-]{1,100}$/

/**
 * Gives each request a name, the caller's own if it has one, and tells it in the answer; counts how long the request took; writes a line
 * for it at level `debug`. The body, the query and the headers are nobody's business.
 */
export function observeRequests({ log, metrics }: { log: Log; metrics: Pick<Metrics, 'observe'> }): Middleware {
  return (ctx, next) => {
    const begun = performance.now()
    const given = ctx.get('x-request-id')
    const requestId = acceptable.test(given) ? given : randomUUID()
    ;(ctx.state as ObservedState).requestId = requestId
    ctx.set('X-Request-Id', requestId)
    ctx.res.once('close', () => {
      const status = ctx.res.writableFinished ? String(ctx.res.statusCode) : 'aborted'
      const seconds = (performance.now() - begun) / 1_000
      const { method } = ctx
      const route = routeOf(ctx)
      if (ctx.type !== 'text/event-stream') metrics.observe({ method, route, status, seconds })
      if (log.writes('debug'))
        log.debug('request', { requestId, method, route, status, milliseconds: Math.round(seconds * 1_000) })
    })
    return next()
  }
}

/** Which request a defect belongs to. */
export const describeRequest = (ctx: Context | undefined): { requestId?: string; method?: string; route?: string } =>
  ctx ? { requestId: (ctx.state as ObservedState).requestId, method: ctx.method, route: routeOf(ctx) } : {}

/** The pattern in the contract. What fits none has no name of its own: whoever tries paths must not fill the memory. */
function routeOf(ctx: Context): string {
  const { _matchedRoute: route } = ctx as { _matchedRoute?: string | RegExp }
  return typeof route === 'string' ? route : 'none'
}
