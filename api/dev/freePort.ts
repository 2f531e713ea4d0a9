import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports for outgoing connections of Linux (from 32768), macOS and Windows (from 49152). An outgoing connection
// could otherwise take the port between this check and its use, or while its server restarts.
const FIRST_PORT = 20_000
const END_PORT = 32_768

// A server takes its port only a moment after it was found free. Until then nobody else may find it: this process counts upward, and
// test workers that run at once have ports of their own.
const SHARES = 8
const share = Number(process.env.VITEST_POOL_ID ?? 0) % SHARES
const portsPerShare = (END_PORT - FIRST_PORT) / SHARES
let last = randomInt(portsPerShare)

/** Returns an unused port of 127.0.0.1 that no outgoing connection can take. */
export async function freePort(): Promise<number> {
  last = (last + 1) % portsPerShare
  const port = FIRST_PORT + last * SHARES + share
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
