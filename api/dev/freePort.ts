import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports for outgoing connections of Linux (from 32768), macOS and Windows (from 49152). An outgoing connection
// could otherwise take the port between this check and its use, or while its server restarts.
const FIRST_PORT = 20_000
const END_PORT = 32_768

/** Returns an unused port of 127.0.0.1 that no outgoing connection can take. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST_PORT, END_PORT)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false))
    server.listen(port, '127.0.0.1')
  })
  if (!isFree) return freePort()
  server.close()
  await once(server, 'close')
  return port
}
