import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A proxy between a browser and the product. */
export interface Proxy {
  url: string
  /** Answers this path instead of the product from now on. */
  replace: (path: string, answer: (response: ServerResponse) => void) => void
  /** Cuts the connection for the page and its service worker, noticeable only by failing requests. */
  cut: () => void
  /** Restores the connection. */
  restore: () => void
  stop: () => Promise<void>
}

export async function startProxy(target: string): Promise<Proxy> {
  const replaced = new Map<string, (response: ServerResponse) => void>()
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((incoming, outgoing) => {
    const replacement = replaced.get(incoming.url ?? '')
    if (replacement) return replacement(outgoing)
    const onward = request(new URL(incoming.url ?? '/', target), { method: incoming.method, headers: incoming.headers })
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const hangUp = () => {
    for (const socket of open) socket.destroy()
  }
  server.on('connection', (socket) => {
    if (isCut) return void socket.destroy()
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    replace: (path, answer) => replaced.set(path, answer),
    cut() {
      isCut = true
      hangUp()
    },
    restore() {
      isCut = false
    },
    async stop() {
      const closed = once(server.close(), 'close')
      hangUp()
      await closed
    },
  }
}
