import { once } from 'node:events'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { createServer, request as ask, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import sirv from 'sirv'

interface Served {
  url: string
  close(): Promise<void>
}

const compress = { br: promisify(brotliCompress), gz: promisify(gzip) }

/** Serves a built app optimally: precompressed and cached forever. */
export async function serveFolder(folder: string): Promise<Served> {
  for await (const file of glob('**/*.{js,css,html,svg}', { cwd: folder })) {
    const name = path.join(folder, file)
    for (const [ending, pack] of Object.entries(compress)) await writeFile(`${name}.${ending}`, await pack(await readFile(name)))
  }
  return serve(sirv(folder, { single: true, brotli: true, gzip: true, immutable: true, maxAge: 31_536_000 }))
}

/** Serves a product's pages without their scripts, and everything else unchanged. */
export const serveWithoutScripts = (origin: string): Promise<Served> =>
  serveOtherPages(origin, async (url) =>
    (await (await fetch(url)).text()).replaceAll(/<script\b[^]*?<\/script>|<link rel="modulepreload"[^>]*>/g, ''),
  )

/** Serves a product whose pages are rendered by the browser alone, as without `pwa/server`. */
export const serveWithoutServerRendering = (origin: string): Promise<Served> =>
  serveOtherPages(origin, () => readFile(path.resolve(import.meta.dirname, '../dist/index.html'), 'utf8'))

const serveOtherPages = (origin: string, page: (url: string) => Promise<string>): Promise<Served> =>
  serve((request, response) => {
    const isPage = request.headers.accept?.includes('text/html') ?? false
    if (!isPage) {
      ask(origin + request.url, { method: request.method, headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      }).end()
      return
    }
    page(origin + request.url)
      .then(compress.br)
      .then((body) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'br' }).end(body))
      .catch((error: unknown) => response.writeHead(502).end(String(error)))
  })

async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
