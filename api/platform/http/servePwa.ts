import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { IncomingMessage, ServerResponse } from 'node:http'
import sirv from 'sirv'
import { listsTag } from './listsTag.ts'

/** The directory of the built PWA. */
export const built = path.join(import.meta.dirname, '../../../pwa/dist')

/** Files with a content hash in their name are cached forever; others are revalidated each time. */
const isImmutable = (pathname: string) => pathname.startsWith('/assets/')

/** Serves the files of the built PWA, and its page for every other path. */
export function servePwa(
  securityHeaders: Record<string, string>,
  { brandName, dist = built }: { brandName: string; dist?: string },
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
  const manifests = nameManifests(dist, brandName)
  return (request, response) => {
    const refuse = (status: number, text: string, headers: Record<string, string> = {}) => {
      const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
      response.writeHead(status, { ...securityHeaders, ...plain, ...headers }).end(text)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'Method not allowed.', { allow: 'GET, HEAD' })
    const manifest = manifests.get(request.url?.split('?')[0] ?? '')
    if (!manifest) return serve(request, response, () => refuse(404, 'Not found.'))
    const headers = { ...securityHeaders, 'cache-control': 'no-cache', etag: manifest.etag }
    if (listsTag(request.headers['if-none-match'], manifest.etag)) response.writeHead(304, headers).end()
    else response.writeHead(200, { ...headers, 'content-type': 'application/manifest+json' }).end(manifest.text)
  }
}

/** The manifests of the installed app by path. The build gives them the name of an installation without BRAND_NAME. */
function nameManifests(dist: string, brandName: string): Map<string, { text: string; etag: string }> {
  const files = ['manifest.webmanifest', 'manifest-light.webmanifest'].filter((file) => existsSync(path.join(dist, file)))
  return new Map(
    files.map((file) => {
      const manifest = JSON.parse(readFileSync(path.join(dist, file), 'utf8')) as object
      const text = JSON.stringify({ ...manifest, name: brandName, short_name: brandName })
      return [`/${file}`, { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }]
    }),
  )
}
