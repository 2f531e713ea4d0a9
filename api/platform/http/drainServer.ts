import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'

/** How long a connection that is kept may bring one more request, whose answer then closes it. */
const LAST_CALL = SECOND
const LOOK_EVERY = 25

/**
 * Closes a server without cutting anybody off: takes no new connection, answers every request that has come or still comes on a connection
 * there is, and closes each once it is idle. Who has not been answered after `patience` milliseconds is cut off.
 *
 * The server's own `close` would end kept connections at once, in the very moment in which their next request may be on its way.
 */
export async function drainServer(server: Server, { patience }: { patience: number }): Promise<void> {
  const begun = performance.now()
  const closed = once(server, 'close')
  let isClosed = false
  closed.then(
    () => (isClosed = true),
    () => {},
  )
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  NetServer.prototype.close.call(server)
  while (!isClosed && performance.now() - begun < patience) {
    if (performance.now() - begun > LAST_CALL) server.closeIdleConnections()
    await Promise.race([closed, delay(LOOK_EVERY)])
  }
  server.closeAllConnections()
  // Ends its own timer, which looks for slow callers.
  server.close()
  await closed
}
