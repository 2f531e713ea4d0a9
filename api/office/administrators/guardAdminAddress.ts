import type { Context, Middleware } from 'koa'
import { auditFailedLogin } from './auditFailedLogin.ts'
import { query } from '#api/entities/tables.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import type { RequestState } from '#api/platform/http/route.ts'

/** What proxies add to a request. */
const forwardedHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip']

/**
 * Lets nobody near the back office who comes from an address that is not on its list, session or not. The list is read anew for
 * each call, so that a change of it holds at once, in every process.
 */
export function guardAdminAddress({ config, limits }: Pick<Services, 'config' | 'limits'>): Middleware {
  return async (ctx, next) => {
    // The router is strict about case; this is not, so that nothing depends on their agreeing.
    const path = ctx.path.toLowerCase()
    if (path !== '/api/admin' && !path.startsWith('/api/admin/')) return next()
    const { em, clientAddress } = ctx.state as RequestState

    // Whoever sent the header is not the one who is connected: the address would be the proxy's, for everybody (money.md 33).
    if (config.production && config.TRUSTED_PROXIES === 0 && forwardedHeaders.some((name) => ctx.get(name) !== '')) {
      throw refusal(
        403,
        'ip_not_allowed',
        'This request came through a proxy, and TRUSTED_PROXIES says that there is none. The administrator area stays closed until it names their number.',
      )
    }
    const installation = await query(em)
      .selectFrom('installation')
      .select('adminAllowedIps as allowed')
      .where('id', '=', 1)
      .executeTakeFirst()
    if (!installation?.allowed || installation.allowed.includes(clientAddress)) return next()
    const error = refusal(
      403,
      'ip_not_allowed',
      `The administrator area may not be used from your IP address (${clientAddress}).`,
    )
    if (ctx.method === 'POST' && path === '/api/admin/login') await record(ctx, error)
    throw error
  }

  /** A failed login like any other; but the internet may knock here, so only some of each address are written down. */
  async function record(ctx: Context, error: DomainError): Promise<void> {
    const { em, clientAddress } = ctx.state as RequestState
    if (await limits.countBeyond('admin_refused_ip', clientAddress)) return
    await em.transactional(async (em) => auditFailedLogin(em, { clientAddress, error }))
  }
}
