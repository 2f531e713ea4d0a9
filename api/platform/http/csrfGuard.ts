import type { Middleware } from 'koa'
import { refusal } from '../errors.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * CSRF guard: refuses state-changing requests that a browser sent from another site. Requests with neither header do not come
 * from a browser and pass, because they carry no cookies that the client was not given.
 *
 * @param publicOrigin the configured origin of the site; by default the request's host.
 */
export function csrfGuard(publicOrigin: string | undefined): Middleware {
  return (ctx, next) => {
    if (reading.has(ctx.method)) return next()
    const site = ctx.get('sec-fetch-site')
    const origin = ctx.get('origin')
    const ownOrigins = publicOrigin ? [publicOrigin] : [`http://${ctx.host}`, `https://${ctx.host}`]
    const foreign = (site && site !== 'same-origin' && site !== 'none') || (origin && !ownOrigins.includes(origin))
    if (foreign) throw refusal(403, 'cross_site', 'This request came from another site.')
    return next()
  }
}
