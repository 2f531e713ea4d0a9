import type { Context, Middleware } from 'koa'
import type { Metrics } from './createMetrics.ts'
import { setRequestId } from '#api/platform/http/requestId.ts'
import type { Log } from '#api/platform/log/createLog.ts'

interface ObservedState {
  requestId: string
}

/**
 * Gives each request an ID, the caller's own if present, and returns it in the response; measures the duration and writes a log
 * line at level `debug`. Body, query and headers are private and not logged.
 */
export function observeRequests({ log, metrics }: { log: Log; metrics: Pick<Metrics, 'observe'> }): Middleware {
  return (ctx, next) => {
    const begun = performance.now()
    const requestId = setRequestId(ctx)
    ;(ctx.state as ObservedState).requestId = requestId
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

/** The request to which a defect belongs. */
export const describeRequest = (ctx: Context | undefined): { requestId?: string; method?: string; route?: string } =>
  ctx ? { requestId: (ctx.state as ObservedState).requestId, method: ctx.method, route: routeOf(ctx) } : {}

/** The path pattern of the contract. Unknown paths share one label, so that a scan cannot fill the memory. */
function routeOf(ctx: Context): string {
  const { _matchedRoute: route } = ctx as { _matchedRoute?: string | RegExp }
  return typeof route === 'string' ? route : 'none'
}
