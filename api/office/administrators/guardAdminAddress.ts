import type { Context, Middleware } from 'koa'
import { auditFailedLogin } from './auditFailedLogin.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { isAdminAddress } from '#api/platform/http/isAdminAddress.ts'
import type { RequestState } from '#api/platform/http/route.ts'

/** Headers added by proxies. */
const forwardedHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip']

/** Rejects requests to the back office from addresses that are not on its list, with or without a session. */
export function guardAdminAddress({ config, limits }: Pick<Services, 'config' | 'limits'>): Middleware {
  return async (ctx, next) => {
    // The router is case-sensitive; this check is not, so that it does not depend on the router's rules.
    const path = ctx.path.toLowerCase()
    if (path !== '/api/admin' && !path.startsWith('/api/admin/')) return next()
    const { em, clientAddress } = ctx.state as RequestState

    // Forwarding headers without a trusted proxy: the connection's address is a proxy's, the same for everybody (money.md 33).
    if (config.production && config.TRUSTED_PROXIES === 0 && forwardedHeaders.some((name) => ctx.get(name) !== '')) {
      throw refusal(
        403,
        'ip_not_allowed',
        'This request came through a proxy, but TRUSTED_PROXIES says there is none. The administrator area stays closed until it is set to the number of proxies.',
      )
    }
    if (await isAdminAddress(em, clientAddress)) return next()
    const error = refusal(403, 'ip_not_allowed', `Your IP address (${clientAddress}) is not allowed in the administrator area.`)
    if (ctx.method === 'POST' && path === '/api/admin/login') await record(ctx, error)
    throw error
  }

  /** Audited like any failed login, but limited per address, because the whole internet can cause it. */
  async function record(ctx: Context, error: DomainError): Promise<void> {
    const { em, clientAddress } = ctx.state as RequestState
    if (await limits.countBeyond('admin_refused_ip', clientAddress)) return
    if (await limits.countBeyond('admin_refused_site', clientAddress)) return
    await em.transactional(async (em) => auditFailedLogin(em, { clientAddress, error }))
  }
}
