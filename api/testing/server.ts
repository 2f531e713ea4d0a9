import Router from '@koa/router'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '#shared/contract/client.ts'
import { ADMIN_EVENTS_PATH, EVENTS_PATH } from '#shared/contract/events.ts'
import { createServices, type RunningServices } from '#api/app/createServices.ts'
import { type Config, directUrlOf, type Environment } from '#api/platform/config.ts'
import { createApp, type RegisterRoutes } from '#api/app/createApp.ts'
import { createHttpServer } from '#api/platform/http/createHttpServer.ts'
import { EventHub } from '#api/platform/events/EventHub.ts'
import { isUnavailable } from '#api/platform/db/isUnavailable.ts'
import { isCallerGone } from '#api/platform/http/respondWithErrors.ts'
import { securityHeaders } from '#api/platform/http/securityHeaders.ts'
import { PublicFiles } from '#api/integrity/register/PublicFiles.ts'
import { serveFiles } from '#api/integrity/register/serveFiles.ts'
import { readStatus } from '#api/operations/status/readStatus.ts'
import { publicAnswerRoutes, PublicAnswers } from '#api/pages/publicAnswers/PublicAnswers.ts'
import type { TestDatabase } from './database.ts'
import { FakeClock } from './FakeClock.ts'
import { testConfig } from './testConfig.ts'
import { onCleanup } from './onCleanup.ts'

export interface TestServer {
  url: string
  services: RunningServices
  clock: FakeClock
  /** Creates a client that keeps its cookies between calls. */
  openBrowser: () => TestBrowser
  /**
   * Subscribes to changes and reads the public answers, as the first call for one of them does, or for a stream. Only for tests that need
   * them before: it takes as long as many a test.
   */
  openPublic: () => Promise<void>
}

export interface TestBrowser {
  call: Client
  fetch: typeof fetch
  /** Returns the value of a cookie, such as `user_session`. */
  cookie(name: string): string | undefined
  setCookie(name: string, value: string): void
}

export interface ServerOptions {
  env?: Environment
  /** Replaces services, such as a chain client by one that does not answer. */
  replace?: Partial<RunningServices>
  config?: Partial<Config>
  extraRoutes?: RegisterRoutes[]
  /** The test takes the database away, which the server reports. Otherwise a test fails if the server has reported an error. */
  isAwayExpected?: boolean
}

/** Servers of the same database share its connections, because opening them takes longer than most tests. */
type ServedDatabase = Pick<TestDatabase, 'url'> & Partial<Pick<TestDatabase, 'connections'>>

/** Starts the HTTP application of the web role on a free port, with the given database. It stops after the test. */
export async function startServer(database: ServedDatabase, options: ServerOptions = {}): Promise<TestServer> {
  const { stop, ...server } = await openServer(database, options)
  onCleanup(stop)
  return server
}

/** Like `startServer`, but the caller stops it. `stop` throws the first error that the server reported. */
export async function openServer(
  database: ServedDatabase,
  { env = {}, replace = {}, config = {}, extraRoutes = [], isAwayExpected = false }: ServerOptions = {},
): Promise<TestServer & { stop(): Promise<void> }> {
  const clock = new FakeClock()
  const errors: unknown[] = []
  const onError = (error: unknown) => void (isAwayExpected && isUnavailable(error) ? undefined : errors.push(error))
  const fullConfig = { ...testConfig({ DATABASE_URL: database.url, ...env }), ...config }
  const events = new EventHub()
  const shared = { ...database.connections?.(fullConfig), events }
  const started = await createServices(fullConfig, { worker: false, onError, shared })
  const services: RunningServices = {
    ...started,
    clock: Object.assign(clock, { refresh: async () => {}, stop: async () => {} }),
    ...replace,
  }

  const headers = securityHeaders(services.config)
  const answers = new PublicAnswers(services, { readStatus: (em) => readStatus(em, services) })
  let opening: Promise<void> | undefined
  const openPublic = () =>
    (opening ??= (async () => {
      events.connect(directUrlOf(fullConfig))
      // So that no change of a test is missed.
      await events.listening
      await answers.start()
    })())
  const app = createApp(services, { securityHeaders: headers, publicAnswers: answers.middleware(), extraRoutes })
  app.on('error', (error) => isCallerGone(error) || onError(error))
  const handle = app.callback()
  const server = createHttpServer({
    api: (request, response) =>
      void (async () => {
        if (isPublic(request.url)) await openPublic()
        await handle(request, response)
      })(),
    register: serveFiles(new PublicFiles(services), { securityHeaders: headers, onError }),
    pages: (_request, response) => void response.writeHead(404).end(),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    services,
    clock,
    openBrowser: () => openBrowser(url),
    openPublic,
    async stop() {
      server.close()
      server.closeAllConnections()
      await opening
      await answers.stop()
      await events.stop()
      await started.stop()
      // A test fails if the server reported an error.
      if (errors.length > 0) throw errors[0]
    },
  }
}

const publicRoutes = new Router()
publicAnswerRoutes(publicRoutes)

/** Whether a call is answered from memory, or opens a stream that tells when such an answer changes. */
function isPublic(url = ''): boolean {
  const [path] = url.split('?') as [string]
  return path === EVENTS_PATH || path === ADMIN_EVENTS_PATH || publicRoutes.match(path, 'GET').route
}

function openBrowser(url: string): TestBrowser {
  const cookies = new Map<string, string>()
  const withCookies: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(input, { ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    call: createClient({ baseUrl: url, fetch: withCookies }),
    fetch: withCookies,
    cookie: (name) => cookies.get(name),
    setCookie: (name, value) => void cookies.set(name, value),
  }
}
