import type { Middleware } from 'koa'
import { refusal } from '../errors.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a state-changing call that a browser sent for another site. A call with neither header comes from no browser and passes:
 * it has no cookie that it was not given.
 *
 * @param publicOrigin the site's own origin where it is configured; otherwise the one the request names as its host.
 */
export function refuseOtherSites(publicOrigin: string | undefined): Middleware {
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
