import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'

/** How long a keep-alive connection may send one more request, whose response then closes it. */
const LAST_REQUEST_PERIOD = SECOND
const POLL_INTERVAL = 25

/**
 * Drains a server: accepts no new connections, answers every request on existing ones, and closes each connection once it is
 * idle. After `timeout` milliseconds the remaining ones are closed.
 *
 * The server's own `close` would end idle keep-alive connections at once, possibly while their next request is in flight.
 */
export async function drainServer(server: Server, { timeout }: { timeout: number }): Promise<void> {
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
  while (!isClosed && performance.now() - begun < timeout) {
    if (performance.now() - begun > LAST_REQUEST_PERIOD) server.closeIdleConnections()
    await Promise.race([closed, delay(POLL_INTERVAL)])
  }
  server.closeAllConnections()
  // Stops the server's internal timer for slow clients.
  server.close()
  await closed
}
