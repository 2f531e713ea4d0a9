import { createServer, type Server } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SECOND } from '#shared/dates.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export interface ServerParts {
  /** Answers the public calls from memory; says whether it did. */
  tryAnswer(request: IncomingMessage, response: ServerResponse): boolean
  /** Answers those who look after the process; says whether it did. */
  tryOperators?(request: IncomingMessage, response: ServerResponse): boolean
  api: Handler
  pages: Handler
}

/** One server for the calls and the pages, with the limits that keep slow callers from holding it. */
export function createHttpServer({ tryAnswer, tryOperators, api, pages }: ServerParts): Server {
  return createServer(
    { headersTimeout: 15 * SECOND, requestTimeout: 30 * SECOND, keepAliveTimeout: 20 * SECOND, maxHeaderSize: 16_384 },
    (request, response) => {
      if (tryAnswer(request, response)) return
      if (isApiPath(request.url)) api(request, response)
      else if (!tryOperators?.(request, response)) pages(request, response)
    },
  )
}

const isApiPath = (url = ''): boolean => url === '/api' || url.startsWith('/api/') || url.startsWith('/api?')
