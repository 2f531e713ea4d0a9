import { createServer, type Server } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECOND } from '#shared/dates.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface ServerParts {
  /** Answers health checks and metrics. @returns whether it did. */
  tryOperators?(request: IncomingMessage, response: ServerResponse): boolean
  api: Handler
  /** Answers every path below `/register/`. */
  register?: Handler
  pages: Handler
}

/** Creates the server for API and pages, with timeouts that limit slow clients. */
export function createHttpServer({ tryOperators, api, register, pages }: ServerParts): Server {
  return createServer(
    { headersTimeout: 15 * SECOND, requestTimeout: 30 * SECOND, keepAliveTimeout: 20 * SECOND, maxHeaderSize: 16_384 },
    (request, response) => {
      if (isApiPath(request.url)) api(request, response)
      else if (register && request.url?.startsWith('/register/')) register(request, response)
      else if (!tryOperators?.(request, response)) pages(request, response)
    },
  )
}

const isApiPath = (url = ''): boolean => url === '/api' || url.startsWith('/api/') || url.startsWith('/api?')
