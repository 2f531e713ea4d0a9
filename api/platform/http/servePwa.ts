import { existsSync } from 'node:fs'
import path from 'node:path'
import type { IncomingMessage, ServerResponse } from 'node:http'
import sirv from 'sirv'

/** The directory of the built PWA. */
export const built = path.join(import.meta.dirname, '../../../pwa/dist')

/** Files with a content hash in their name are cached forever; others are revalidated each time. */
const isImmutable = (pathname: string) => pathname.startsWith('/assets/')

/** Serves the files of the built PWA, and its page for every other path. */
export function servePwa(
  securityHeaders: Record<string, string>,
  dist = built,
): (request: IncomingMessage, response: ServerResponse) => void {
  if (!existsSync(path.join(dist, 'index.html'))) throw new Error('The PWA is not built. Run `npm run build` first.')
  const serve = sirv(dist, {
    etag: true,
    brotli: true,
    gzip: true,
    dotfiles: false,
    single: true,
    ignores: [/^\/api(\/|$)/, /^\/assets\//],
    setHeaders(response, pathname) {
      for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
      response.setHeader('Cache-Control', isImmutable(pathname) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  return (request, response) =>
    serve(request, response, () => {
      response.writeHead(404, { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      response.end('Not found.')
    })
}
