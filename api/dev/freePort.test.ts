import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from './freePort.ts'

test('a free port is available, and outside the range for outgoing connections', async () => {
  const firstOutgoing = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
  for (let i = 0; i < 20; i++) {
    const port = await freePort()
    expect(port).toBeLessThan(firstOutgoing)
    const server = createServer()
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  }
})
