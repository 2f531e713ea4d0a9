import { bodyParser } from '@koa/bodyparser'
import Router from '@koa/router'
import Koa from 'koa'
import type { EntityManager } from '@mikro-orm/postgresql'
import { cookieSession } from '#api/platform/http/cookieSession.ts'
import { depositRoutes } from '#api/sale/deposits/routes.ts'
import { adminRoutes } from '#api/office/routes.ts'
import { refusal } from '#api/platform/errors.ts'
import { eventRoutes, eventStreams } from '#api/platform/events/routes.ts'
import { registerAccountRoutes } from '#api/integrity/register/accountRoutes.ts'
import { signNow } from '#api/integrity/register/signReceipts.ts'
import { historyRoutes } from '#api/withdrawals/statement/routes.ts'
import { captchaRoutes } from '#api/accounts/captcha/routes.ts'
import { freezeRoutes } from '#api/accounts/freezes/routes.ts'
import { identityRoutes } from '#api/accounts/identity/routes.ts'
import { passkeyRoutes } from '#api/accounts/identity/passkeyRoutes.ts'
import { passwordRoutes } from '#api/accounts/identity/passwordRoutes.ts'
import { nodeRoutes } from '#api/rewards/rates/routes.ts'
import { inboxRoutes } from '#api/accounts/inbox/routes.ts'
import { notificationRoutes } from '#api/accounts/notifications/routes.ts'
import { pushRoutes } from '#api/accounts/push/routes.ts'
import { otpRoutes } from '#api/accounts/otp/routes.ts'
import { purchaseRoutes } from '#api/sale/purchases/routes.ts'
import { rewardRoutes } from '#api/rewards/daily/routes.ts'
import type { Services } from '#api/platform/services.ts'
import { storeDefaults } from '#api/sale/settings/storeDefaults.ts'
import { jobs, sweeps } from './schedule.ts'
import { healthRoutes } from '#api/operations/health/routes.ts'
import { setupRoutes } from '#api/accounts/setup/routes.ts'
import { walletRoutes } from '#api/accounts/wallets/routes.ts'
import { withdrawalRoutes } from '#api/withdrawals/requests/routes.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { clientAddress } from '#api/platform/http/clientAddress.ts'
import { browserToken, heldBrowserToken } from '#api/platform/http/browserToken.ts'
import { visitorCookie } from '#api/platform/http/visitorCookie.ts'
import { guardAdminAddress } from '#api/office/administrators/guardAdminAddress.ts'
import { loginRedirect } from '#api/platform/http/loginRedirect.ts'
import { csrfGuard } from '#api/platform/http/csrfGuard.ts'
import { respondWithErrors } from '#api/platform/http/respondWithErrors.ts'
import { sessionRealmOf } from '#api/platform/http/sessionRealm.ts'
import { endpointsOf, type RequestState, routePublicAnswer } from '#api/platform/http/route.ts'
import { describeApi } from '#api/platform/http/describeApi.ts'
import { type Answer, answerOf, sendAnswer } from '#api/pages/publicAnswers/Answer.ts'
import { renderApiPage } from '#api/platform/http/renderApiPage.ts'
import { allowInline } from '#api/platform/http/securityHeaders.ts'
import { publicAnswerRoutes } from '#api/pages/publicAnswers/PublicAnswers.ts'
import { API_VERSION, getOpenApi } from '#shared/contract/openApi.ts'
import { MINUTE } from '#shared/dates.ts'

/** How long clients may keep the API's description, which changes with a release only. */
const DESCRIPTION_KEPT_FOR = MINUTE

export type RegisterRoutes = (router: Router, services: Services) => void

/** Registers all routes under `/api/`. */
export const features: RegisterRoutes[] = [
  adminRoutes,
  eventRoutes,
  (router, services) => healthRoutes(router, services, { jobs, sweeps }),
  historyRoutes,
  captchaRoutes,
  depositRoutes,
  (router, services) => identityRoutes(router, services, (cause) => signNow(services, cause)),
  passwordRoutes,
  freezeRoutes,
  nodeRoutes,
  passkeyRoutes,
  inboxRoutes,
  notificationRoutes,
  pushRoutes,
  purchaseRoutes,
  registerAccountRoutes,
  rewardRoutes,
  otpRoutes,
  publicAnswerRoutes,
  (router, services) => setupRoutes(router, services, storeDefaults),
  walletRoutes,
  (router, services) => withdrawalRoutes(router, services, (cause) => signNow(services, cause)),
]

export interface AppOptions {
  securityHeaders: Record<string, string>
  /** Comes before sessions, limits and `observe`. */
  publicAnswers: Koa.Middleware
  /** Routes of the embedded stack. */
  extraRoutes?: RegisterRoutes[]
  /** The first middleware of every other request. */
  observe?: Koa.Middleware
}

/** Builds the HTTP application without starting it, so that a test can have its own. */
export function createApp(services: Services, { securityHeaders, publicAnswers, extraRoutes = [], observe }: AppOptions): Koa {
  const { config, limits, orm } = services
  const app = new Koa({ proxy: config.TRUSTED_PROXIES > 0 })
  const router = new Router({ sensitive: true })
  loginRedirect(router)
  for (const register of [...features, ...extraRoutes]) register(router, services)
  let described: Answer | undefined
  routePublicAnswer(router, getOpenApi, (ctx) =>
    sendAnswer(ctx, (described ??= answerOf(getOpenApi, describeApi(endpointsOf(router)), DESCRIPTION_KEPT_FOR))),
  )

  if (!config.production) routeApiPage(router, securityHeaders)

  const sessions: Record<SessionRealm, Koa.Middleware> = {
    user: cookieSession('user', services),
    admin: cookieSession('admin', services),
  }

  let arrived = 0
  app.use((ctx, next) => {
    ctx.set(securityHeaders)
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-API-Version', API_VERSION)
    return next()
  })
  app.use(publicAnswers)
  if (observe) app.use(observe)
  app.use(respondWithErrors)
  app.use(csrfGuard(config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin))
  app.use((ctx, next) => {
    const state = ctx.state as RequestState
    state.arrival = ++arrived
    state.clientAddress = clientAddress(ctx.req, config.TRUSTED_PROXIES)
    // Made when it is first used: event streams and batched calls need none, and an open stream would keep it.
    let em: EntityManager | undefined
    Object.defineProperty(state, 'em', { get: () => (em ??= orm.em.fork()) })
    state.limits = limits
    state.browserToken = () => browserToken(ctx, { secure: config.production })
    state.heldBrowserToken = () => heldBrowserToken(ctx, { secure: config.production })
    state.visitor = () => visitorCookie(ctx, { secure: config.production })
    return next()
  })
  app.use(guardAdminAddress(services))
  app.use(eventStreams(services))
  app.use((ctx, next) => sessions[sessionRealmOf(ctx.path)](ctx, next))
  app.use(requireJson)
  app.use(
    bodyParser({ enableTypes: ['json'], jsonLimit: '64kb', jsonStrict: true, parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] }),
  )
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}

/** The description for people, in development only: it shows visitors nothing that they need. */
function routeApiPage(router: Router, securityHeaders: Record<string, string>): void {
  router.get('/api/docs', (ctx) => {
    const { html, style } = renderApiPage(describeApi(endpointsOf(router)))
    ctx.set(allowInline(securityHeaders, { style }))
    ctx.type = 'html'
    ctx.body = html
  })
}

/** Only uncompressed JSON: a form of another site cannot send it, and a small body cannot decompress to a large one. */
const requireJson: Koa.Middleware = (ctx, next) => {
  const hasBody = ctx.request.length !== 0 && ctx.request.length !== undefined ? true : ctx.get('transfer-encoding') !== ''
  if (hasBody && (!ctx.is('application/json') || ctx.get('content-encoding') !== ''))
    throw refusal(415, 'unsupported_media_type', 'Send application/json.')
  return next()
}
