import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onCleanup } from './onCleanup.ts'

/** When a connection breaks at a statement: before the server gets it, or after it has answered. */
export type Moment = 'before' | 'after'

export interface DatabaseProxy {
  /** The database's URL through the proxy. */
  url: string
  /** Breaks the next connection that sends a statement with this text, once. */
  breakAt(text: string, moment: Moment): void
  /** Passes on nothing more of the connections it has, and keeps them open, as a frozen server does. */
  freeze(): void
  thaw(): void
}

/** A proxy in front of a database that breaks connections at a chosen moment. It does not understand TLS. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  let fault: { text: string; moment: Moment } | undefined
  let isFrozen = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    const end = () => [client, database].forEach((socket) => socket.destroy())
    let isDropped = false
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (bytes: Buffer) => {
      if (isFrozen) return
      if (fault && bytes.includes(fault.text)) {
        const { moment } = fault
        fault = undefined
        if (moment === 'before') return end()
        isDropped = true
      }
      database.write(bytes)
    })
    database.on('data', (bytes: Buffer) => {
      if (isDropped) end()
      else if (!isFrozen) client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onCleanup(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    breakAt(text, moment) {
      // As a whole statement: the word is part of others, such as one that begins a transaction at "read committed".
      fault = { text: text === 'commit' ? 'commit\0' : text, moment }
    },
    freeze() {
      isFrozen = true
    },
    thaw() {
      isFrozen = false
    },
  }
}
