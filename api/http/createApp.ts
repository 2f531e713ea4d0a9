import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import Koa from 'koa'
import { DAY, HOUR } from '#shared/dates.ts'
import type { Config } from '../config.ts'
import { adminRoutes } from '../admin/routes.ts'
import { refusal } from '../errors.ts'
import { eventRoutes } from '../events/routes.ts'
import { historyRoutes } from '../history/routes.ts'
import { captchaRoutes } from '../captcha/routes.ts'
import { identityRoutes } from '../identity/routes.ts'
import { nodeRoutes } from '../nodes/routes.ts'
import { notificationRoutes } from '../notifications/routes.ts'
import { otpRoutes } from '../otp/routes.ts'
import { purchaseRoutes } from '../purchases/routes.ts'
import { rewardRoutes } from '../rewards/routes.ts'
import type { Services } from '../services.ts'
import { setupRoutes } from '../setup/routes.ts'
import { walletRoutes } from '../wallets/routes.ts'
import { withdrawalRoutes } from '../withdrawals/routes.ts'
import type { SessionRealm } from '../entities/WebSession.ts'
import { clientAddress } from './clientAddress.ts'
import { browserToken, heldBrowserToken } from './browserToken.ts'
import { guardAdminAddress } from './guardAdminAddress.ts'
import { loginRedirect } from './loginRedirect.ts'
import { namedSession } from './namedSession.ts'
import { refuseOtherSites } from './refuseOtherSites.ts'
import { respondWithErrors } from './respondWithErrors.ts'
import { sessionRealmOf } from './sessionRealm.ts'
import { sessionStore } from './sessionStore.ts'
import type { RequestState } from './route.ts'

export type RegisterRoutes = (router: Router, services: Services) => void

/** Everything that answers under `/api/`. */
export const features: RegisterRoutes[] = [
  adminRoutes,
  eventRoutes,
  historyRoutes,
  captchaRoutes,
  identityRoutes,
  nodeRoutes,
  notificationRoutes,
  purchaseRoutes,
  rewardRoutes,
  otpRoutes,
  setupRoutes,
  walletRoutes,
  withdrawalRoutes,
]

export interface AppOptions {
  securityHeaders: Record<string, string>
  /** Routes of the embedded stack. */
  extraRoutes?: RegisterRoutes[]
  /** Sees every request before anything else does. */
  observe?: Koa.Middleware
}

/** Builds the HTTP application. Starts nothing, so that a test may have its own. */
export function createApp(services: Services, { securityHeaders, extraRoutes = [], observe }: AppOptions): Koa {
  const { config, orm } = services
  const app = new Koa({ proxy: config.TRUSTED_PROXIES > 0 })
  const router = new Router({ sensitive: true })
  loginRedirect(router)
  for (const register of [...features, ...extraRoutes]) register(router, services)

  const sessions: Record<SessionRealm, Koa.Middleware> = {
    user: cookieSession('user', 7 * DAY),
    admin: cookieSession('admin', 8 * HOUR),
  }

  if (observe) app.use(observe)
  app.use((ctx, next) => {
    ctx.set(securityHeaders)
    ctx.set('Cache-Control', 'no-store')
    return next()
  })
  app.use(respondWithErrors)
  app.use(refuseOtherSites(config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin))
  app.use((ctx, next) => {
    const state = ctx.state as RequestState
    state.clientAddress = clientAddress(ctx.req, config.TRUSTED_PROXIES)
    state.em = orm.em.fork()
    state.browserToken = () => browserToken(ctx, { secure: config.production })
    state.heldBrowserToken = () => heldBrowserToken(ctx, { secure: config.production })
    return next()
  })
  app.use(guardAdminAddress(services))
  app.use((ctx, next) => sessions[sessionRealmOf(ctx.path)](ctx, next))
  app.use(requireJson)
  app.use(bodyParser({ enableTypes: ['json'], jsonLimit: '64kb', jsonStrict: true }))
  app.use(router.routes())
  app.use(
    router.allowedMethods({
      throw: true,
      methodNotAllowed: () => refusal(405, 'method_not_allowed', 'This call has another method.'),
    }),
  )
  return app

  function cookieSession(realm: SessionRealm, maxAge: number): Koa.Middleware {
    return namedSession(realm, {
      key: cookieName(realm, config),
      maxAge,
      // An administrator's ends 8 hours after the login, a user's 7 days after he was last here.
      renew: realm === 'user',
      signed: false,
      httpOnly: true,
      sameSite: 'lax',
      secure: config.production,
      store: sessionStore(orm, realm),
    })
  }
}

/** A `__Host-` cookie is refused by browsers unless it is secure and for this host alone. */
const cookieName = (realm: SessionRealm, { production }: Pick<Config, 'production'>): string =>
  production ? `__Host-${realm}_session` : `${realm}_session`

/** What whoever is logged in brings along. */
export const userCookieName = (config: Pick<Config, 'production'>): string => cookieName('user', config)

/** Bodies are plain JSON and nothing else: a form of another site cannot send that, and nothing small becomes large here. */
const requireJson: Koa.Middleware = (ctx, next) => {
  const hasBody = ctx.request.length !== 0 && ctx.request.length !== undefined ? true : ctx.get('transfer-encoding') !== ''
  if (hasBody && (!ctx.is('application/json') || ctx.get('content-encoding') !== ''))
    throw refusal(415, 'unsupported_media_type', 'Send application/json.')
  return next()
}
