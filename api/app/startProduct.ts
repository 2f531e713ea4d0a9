import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from 'koa'
import { SECOND } from '#shared/dates.ts'
import { type Config, directUrlOf, listMissing, listWeakSecrets } from '#api/platform/config.ts'
import { createServices, type RunningServices } from './createServices.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { runWatcher } from '#api/sale/deposits/runWatcher.ts'
import { runNotifier } from '#api/platform/events/runNotifier.ts'
import { createApp, type RegisterRoutes } from './createApp.ts'
import { createHttpServer } from '#api/platform/http/createHttpServer.ts'
import { drainServer } from '#api/platform/http/drainServer.ts'
import { isCallerGone } from '#api/platform/http/respondWithErrors.ts'
import { securityHeaders } from '#api/platform/http/securityHeaders.ts'
import { built, servePwa } from '#api/platform/http/servePwa.ts'
import { runWorker } from '#api/platform/jobs/runWorker.ts'
import { throttleErrors } from '#api/platform/jobs/throttleErrors.ts'
import { jobs, sweeps, tellOffice } from './schedule.ts'
import { serveHealth, type HealthHandler } from '#api/operations/serveHealth.ts'
import { PublicFiles } from '#api/integrity/register/PublicFiles.ts'
import { serveFiles } from '#api/integrity/register/serveFiles.ts'
import { limitErrors } from '#api/platform/log/limitErrors.ts'
import { formatRanges } from '#api/platform/log/formatRanges.ts'
import { createLog, isAlert, type Log, type LogContext } from '#api/platform/log/createLog.ts'
import { createMetrics, type Metrics } from '#api/operations/createMetrics.ts'
import { createReadiness, type Readiness } from '#api/operations/createReadiness.ts'
import { describeRequest, observeRequests } from '#api/operations/observeRequests.ts'
import { readStatus } from '#api/operations/status/readStatus.ts'
import { VisitorPages } from '#api/pages/VisitorPages.ts'
import { runPayouts } from '#api/withdrawals/payouts/runPayouts.ts'
import { PublicAnswers } from '#api/pages/publicAnswers/PublicAnswers.ts'
import { issueSetupToken } from '#api/accounts/setup/issueSetupToken.ts'

export const roles = ['web', 'worker', 'watcher'] as const
export type Role = (typeof roles)[number]

export interface ProductOptions {
  roles: ReadonlySet<Role>
  /** Serves the PWA from its sources, with hot reload. */
  viteDev?: boolean
  /** Routes of the embedded stack. */
  extraRoutes?: RegisterRoutes[]
}

export interface RunningProduct {
  log: Log
  /** The URL of the web role. */
  url?: string
  stop(): Promise<void>
}

/** The time that open requests and running jobs have to finish during a shutdown, in milliseconds. */
const SHUTDOWN_TIMEOUT = 7 * SECOND
/** Pending connections: when a process ends, all its pages reconnect to the others at once. The system may allow fewer. */
const BACKLOG = 4_096

/** Starts the named roles of the product. */
export async function startProduct(
  config: Config,
  { roles, viteDev = false, extraRoutes = [] }: ProductOptions,
): Promise<RunningProduct> {
  const log = createLog({ config, role: [...roles].join(' ') })
  const weak = listWeakSecrets(config)
  if (weak.length > 0)
    log.warn(`Weak secrets: ${weak.join('; ')}. How to replace one that is in use is under “Keys” in the README.`)
  let services: RunningServices | undefined
  let readiness: Readiness | undefined
  let answers: PublicAnswers | undefined
  const metrics = createMetrics({
    services: () => services,
    roles: [...roles],
    countPublicAnswers: () => answers?.countAnswers() ?? new Map(),
    onError: throttleErrors((error) => reportError(error)),
  })
  const reportError = (error: unknown, facts?: LogContext) => {
    metrics.countError(isAlert(error))
    log.error(error, facts)
  }
  const answer = { config, readiness: () => readiness, metrics }
  // Started before the database is prepared, which may take long: the process is alive but not ready in the meantime.
  const health =
    config.HEALTH_PORT === undefined
      ? undefined
      : await startHealthServer(config.HEALTH_PORT, serveHealth({ ...answer, isPublic: false }))
  // Parts stop concurrently, within the same time limit.
  const parts: { stop(): Promise<void> }[] = []
  let url: string | undefined
  try {
    const running = await createServices(config, {
      worker: roles.has('worker'),
      onlyWeb: roles.has('web') && roles.size === 1,
      onError: reportError,
    })
    services = running
    if (roles.has('web')) {
      // Shows that requests for the same nodes are decided in the order of their arrival; `npm run load` checks it.
      if (config.production)
        running.onDecided = (arrivals) =>
          log.info('Reservations decided', { requests: arrivals.length, arrivals: formatRanges(arrivals) })
      answers = new PublicAnswers(running, { readStatus: (em) => readStatus(em, running) })
      const operators = serveHealth({ ...answer, isPublic: true })
      const web = await startWeb(services, { viteDev, extraRoutes, answers, log, metrics, operators, reportError })
      url = web.url
      parts.push(web)
    }
    if (roles.has('worker')) {
      parts.push(
        runPayouts(services, { endpoints: rewardEndpoints(config), directUrl: directUrlOf(config), onError: reportError }),
      )
      parts.push(
        await runWorker(services, { jobs, sweeps, onTurn: tellOffice }, reportError),
        runNotifier(services.orm, reportError),
      )
    }
    if (roles.has('watcher')) {
      parts.push(
        runWatcher(services, { endpoints: paymentEndpoints(config), directUrl: directUrlOf(config), onError: reportError }),
      )
    }
    readiness = createReadiness({ orm: services.orm, config, jobNames: jobs.map(({ name }) => name) })
  } catch (error) {
    await stopAll()
    throw error
  }
  let stopping: Promise<void> | undefined
  return { ...(url !== undefined && { url }), log, stop: () => (stopping ??= stopAll()) }

  async function stopAll() {
    readiness?.beginStop()
    const stopped = Promise.all(parts.map((part) => part.stop().catch(reportError)))
    const inTime = await Promise.race([stopped.then(() => true), delay(SHUTDOWN_TIMEOUT + SECOND, false, { ref: false })])
    if (!inTime) log.warn('Some work did not finish in time. It resumes after the next start.')
    await services?.stop()
    await health?.stop()
  }
}

interface WebOptions {
  viteDev: boolean
  extraRoutes: RegisterRoutes[]
  answers: PublicAnswers
  log: Log
  metrics: Metrics
  operators: HealthHandler
  reportError: (error: unknown, facts?: LogContext) => void
}

async function startWeb(
  services: RunningServices,
  { viteDev, extraRoutes, answers, log, metrics, operators, reportError }: WebOptions,
) {
  const { config } = services
  const headers = securityHeaders(config, { dev: viteDev })
  await answers.start()
  const observe = observeRequests({ log, metrics })
  const app = createApp(services, { securityHeaders: headers, publicAnswers: answers.middleware(), extraRoutes, observe })
  const errors = limitErrors((error, facts) => log.error(error, facts))
  app.on('error', (error, ctx) => {
    if (isCallerGone(error)) return
    metrics.countError(isAlert(error))
    errors.report(error, describeRequest(ctx as Context | undefined))
  })

  const files = viteDev ? undefined : servePwa(headers, { brandName: config.BRAND_NAME })
  const visitorPages = viteDev
    ? undefined
    : await VisitorPages.load(built, { services, answers, securityHeaders: headers, onError: throttleErrors(reportError) })
  const server = createHttpServer({
    tryOperators: operators,
    api: app.callback(),
    register: serveFiles(new PublicFiles(services), { securityHeaders: headers, onError: throttleErrors(reportError) }),
    pages: (request, response) => {
      const serve = () => (vite?.middlewares ?? files!)(request, response)
      if (visitorPages) visitorPages.answer(request, response, serve)
      else serve()
    },
  })
  // The web socket for hot reload uses the port of the server.
  const vite = viteDev
    ? await (await import('vite')).createServer({ server: { middlewareMode: true, ws: { server } }, appType: 'spa' })
    : undefined
  await listen(server, { port: config.PORT, host: config.LISTEN_ADDRESS })
  const url = config.PUBLIC_URL ?? `http://localhost:${(server.address() as { port: number }).port}`
  const setupLink = config.demo ? undefined : await issueSetupToken(services.orm, url)
  const missing = listMissing(config)
  if (missing.length > 0) log.warn(`Not configured: ${missing.join(', ')}. Buyers look for them in the footer and on /about.`)
  if (setupLink) log.info(`Not set up yet. Use this link once to set it up: ${setupLink}`)
  return {
    url,
    async stop() {
      services.events.disconnectAll()
      await vite?.close()
      await drainServer(server, { timeout: SHUTDOWN_TIMEOUT })
      errors.end()
      await answers.stop()
    },
  }
}

/** Serves health and metrics on a separate port, for roles without a website. */
async function startHealthServer(port: number, operators: HealthHandler) {
  const server = createServer((request, response) => {
    if (!operators(request, response)) response.writeHead(404).end()
  })
  await listen(server, { port })
  return {
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Listens on one address, or on all of IPv4 and IPv6. @throws the error of the socket, such as EADDRINUSE. */
async function listen(server: Server, address: { port: number; host?: string | undefined }): Promise<void> {
  server.listen({ ...address, backlog: BACKLOG })
  await once(server, 'listening')
}
