import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Stands between a browser and the product. */
export interface Proxy {
  url: string
  /** From now on `answer` answers this path in place of the product. */
  replace: (path: string, answer: (response: ServerResponse) => void) => void
  stop: () => Promise<void>
}

export async function startProxy(target: string): Promise<Proxy> {
  const replaced = new Map<string, (response: ServerResponse) => void>()
  const open = new Set<Socket>()
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
  server.on('connection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    replace: (path, answer) => replaced.set(path, answer),
    async stop() {
      const closed = once(server.close(), 'close')
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
