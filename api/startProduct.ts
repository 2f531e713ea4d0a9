import type { Server } from 'node:http'
import { once } from 'node:events'
import type { Config } from './config.ts'
import { createServices, directUrlOf, paymentEndpoints, rewardEndpoints, type RunningServices } from './createServices.ts'
import { runWatcher } from './deposits/runWatcher.ts'
import { describeError } from './describeError.ts'
import { runNotifier } from './events/runNotifier.ts'
import { createApp, type RegisterRoutes } from './http/createApp.ts'
import { createHttpServer } from './http/createHttpServer.ts'
import { isCallerGone } from './http/respondWithErrors.ts'
import { securityHeaders } from './http/securityHeaders.ts'
import { servePwa } from './http/servePwa.ts'
import { runWorker } from './jobs/runWorker.ts'
import { runPayouts } from './payouts/runPayouts.ts'
import { PublicAnswers } from './publicAnswers/PublicAnswers.ts'
import { issueSetupToken } from './setup/issueSetupToken.ts'

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
  /** Where the web role answers. */
  url?: string
  stop(): Promise<void>
}

/** Starts the named roles of the product. */
export async function startProduct(
  config: Config,
  { roles, viteDev = false, extraRoutes = [] }: ProductOptions,
): Promise<RunningProduct> {
  const reportError = errorReporter(config)
  const services = await createServices(config, { worker: roles.has('worker'), onError: reportError })
  // In the order in which they are stopped: whoever asks the others goes first.
  const parts: { stop(): Promise<void> }[] = []
  let url: string | undefined
  try {
    if (roles.has('web')) {
      const web = await startWeb(services, { viteDev, extraRoutes })
      url = web.url
      parts.push(web)
    }
    if (roles.has('worker')) {
      parts.push(
        runPayouts(services, { endpoints: rewardEndpoints(config), directUrl: directUrlOf(config), onError: reportError }),
      )
      parts.push(await runWorker(services, reportError), runNotifier(services.orm, reportError))
    }
    if (roles.has('watcher')) {
      parts.push(
        runWatcher(services, { endpoints: paymentEndpoints(config), directUrl: directUrlOf(config), onError: reportError }),
      )
    }
  } catch (error) {
    await stopAll()
    throw error
  }
  return { ...(url !== undefined && { url }), stop: stopAll }

  async function stopAll() {
    for (const part of parts) await part.stop()
    await services.stop()
  }
}

async function startWeb(
  services: RunningServices,
  { viteDev, extraRoutes }: { viteDev: boolean; extraRoutes: RegisterRoutes[] },
) {
  const { config } = services
  const headers = securityHeaders(config, { dev: viteDev })
  const answers = new PublicAnswers(services, headers)
  await answers.start()
  const app = createApp(services, { securityHeaders: headers, extraRoutes })
  const reportError = errorReporter(config)
  app.on('error', (error) => isCallerGone(error) || reportError(error))

  const pages = viteDev ? undefined : servePwa(headers)
  const server = createHttpServer({
    tryAnswer: (request, response) => answers.tryAnswer(request, response),
    api: app.callback(),
    pages: (request, response) => (vite?.middlewares ?? pages!)(request, response),
  })
  // Its web socket for hot reload shares our port.
  const vite = viteDev
    ? await (await import('vite')).createServer({ server: { middlewareMode: true, ws: { server } }, appType: 'spa' })
    : undefined
  await listen(server, config.PORT)
  const setupLink = config.production ? await issueSetupToken(services.orm, config) : undefined
  if (setupLink) console.log(`Not set up yet. Set it up, once, with this link: ${setupLink}`)
  return {
    url: config.PUBLIC_URL ?? `http://localhost:${(server.address() as { port: number }).port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await vite?.close()
      await answers.stop()
    },
  }
}

/** Listens on IPv4 and IPv6. @throws the error of the socket, such as EADDRINUSE. */
async function listen(server: Server, port: number): Promise<void> {
  server.listen(port)
  await once(server, 'listening')
}

/** A defect, or a part that is away: one line for the operator, and the stack where it is ours. */
const errorReporter = (config: Config) => (error: unknown) =>
  console.error(new Date().toISOString(), describeError(error, config))
