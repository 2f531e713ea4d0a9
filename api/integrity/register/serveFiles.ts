import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerFile, openToAll, readRange } from './answerFile.ts'
import type { PublicFiles } from './PublicFiles.ts'

const FOLDER = '/register/'

interface ServeOptions {
  securityHeaders: Record<string, string>
  /** Called when a file cannot be read. The response is 503 with Retry-After. */
  onError: (error: unknown) => void
}

/** Serves the public files of the register to everybody, without sessions, limits or cookies. */
export function serveFiles(
  files: Pick<PublicFiles, 'find'>,
  { securityHeaders, onError }: ServeOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  // Merged once: at a thousand requests per second, setting fifteen headers one by one shows.
  const common = { ...securityHeaders, ...openToAll }
  return (request, response) => {
    const refuse = (status: number, text: string, headers: Record<string, string> = {}) => {
      response.writeHead(status, {
        ...common,
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'no-store',
        ...headers,
      })
      response.end(request.method === 'HEAD' ? undefined : text)
    }
    if (request.method === 'OPTIONS')
      return refuse(204, '', {
        'Access-Control-Allow-Methods': 'GET, HEAD',
        'Access-Control-Allow-Headers': 'Cache-Control, If-None-Match, If-Range, Pragma, Range',
        'Access-Control-Max-Age': '86400',
      })
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Method not allowed.\n', { Allow: 'GET, HEAD' })
    const name = (request.url ?? '').split('?')[0]!.slice(FOLDER.length)
    files
      .find(name, readWish(request))
      .then(
        (file) => (file ? answerFile(request, response, { ...file, common }) : refuse(404, 'Not found.\n')),
        (error: unknown) => {
          onError(error)
          refuse(503, 'Temporarily unavailable.\n', { 'Retry-After': '5' })
        },
      )
      .catch(onError)
  }
}

function readWish({ headers }: IncomingMessage) {
  const range = readRange(headers.range, Number.MAX_SAFE_INTEGER)
  return {
    from: typeof range === 'object' ? range.start : 0,
    isFresh: /\bno-cache\b/.test(headers['cache-control'] ?? ''),
  }
}
