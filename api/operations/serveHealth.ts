import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Config } from '#api/platform/config.ts'
import { isLoopback, normaliseIp } from '#api/platform/http/clientAddress.ts'
import type { Metrics } from './createMetrics.ts'
import type { Readiness } from './createReadiness.ts'

export interface HealthOptions {
  config: Pick<Config, 'METRICS_TOKEN'>
  /** Absent while the process starts. */
  readiness: () => Readiness | undefined
  metrics: Metrics
  /** Whether visitors also reach this port, directly or through a proxy that may not add a header. */
  isPublic: boolean
}

export type HealthHandler = (request: IncomingMessage, response: ServerResponse) => boolean

/** Serves liveness, readiness and metrics. Returns whether it has handled the request. */
export function serveHealth({ config, readiness, metrics, isPublic }: HealthOptions): HealthHandler {
  const answers: Record<string, (request: IncomingMessage) => Promise<Answer> | Answer> = {
    // Liveness only shows that the event loop runs; an outage of another part must not cause a restart.
    '/healthz': () => ({ status: 200, text: 'ok\n' }),
    '/readyz': async () => {
      const ready = readiness()
      const obstacle = ready ? await ready.findObstacle() : 'this process is starting'
      return obstacle === undefined ? { status: 200, text: 'ready\n' } : { status: 503, text: `not ready: ${obstacle}\n` }
    },
    '/metrics': async (request) => {
      if (!mayRead(request, { token: config.METRICS_TOKEN, isPublic }))
        return { status: 403, text: 'Only with METRICS_TOKEN or, where none is set, from this machine on HEALTH_PORT.\n' }
      const { type, text } = await metrics.write()
      return { status: 200, type, text }
    },
  }
  return (request, response) => {
    const find = Object.hasOwn(answers, request.url ?? '') ? answers[request.url!] : undefined
    if (!find || (request.method !== 'GET' && request.method !== 'HEAD')) return false
    void send(find, request, response)
    return true
  }
}

interface Answer {
  status: number
  text: string
  type?: string
}

async function send(
  find: (request: IncomingMessage) => Promise<Answer> | Answer,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const {
    status,
    text,
    type = 'text/plain; charset=utf-8',
  } = await Promise.resolve(find(request)).catch(
    (): Answer => ({
      status: 500,
      text: 'could not be read\n',
    }),
  )
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

function mayRead(request: IncomingMessage, { token, isPublic }: { token: string | undefined; isPublic: boolean }): boolean {
  if (token !== undefined) return isSame(request.headers.authorization ?? '', `Bearer ${token}`)
  // Requests through a proxy on this machine also come from a local address, possibly without a forwarding header.
  if (isPublic) return false
  const isForwarded = FORWARDED.some((name) => request.headers[name] !== undefined)
  return !isForwarded && isLoopback(normaliseIp(request.socket.remoteAddress ?? '') ?? '')
}

const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected))
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
