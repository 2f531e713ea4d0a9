import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that Linux (from 32768), macOS and Windows (from 49152) give to outgoing connections: one of those
// could take a port between this check and its use, or while the server that has it restarts.
const FIRST_PORT = 20_000
const END_PORT = 32_768

/** A port of 127.0.0.1 on which nothing listens, and which no outgoing connection takes before it is used. */
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
