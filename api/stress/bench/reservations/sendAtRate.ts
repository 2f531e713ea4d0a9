import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

interface Load {
  port: number
  connections: number
  /** Requests per second. */
  rate: number
  requests: readonly Buffer[]
}

/**
 * Sends prepared requests at a constant rate. A latency is the time from the planned instant of a request to the end of its answer, so that
 * a slow answer also counts for the requests that it delays.
 *
 * @returns the latencies in milliseconds, and the count of each status.
 */
export async function sendAtRate({ port, connections, rate, requests }: Load) {
  const answers: Record<string, number> = {}
  const latencies: number[] = []
  const free: Socket[] = []
  const planned = new Map<Socket, number>()
  for (let opened = 0; opened < connections; opened += 1) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (!isComplete(received)) return
      const status = received.toString('latin1', 9, 12)
      answers[status] = (answers[status] ?? 0) + 1
      received = Buffer.alloc(0)
      latencies.push(performance.now() - planned.get(socket)!)
      free.push(socket)
    })
    free.push(socket)
  }
  const begun = performance.now()
  for (let next = 0; next < requests.length; ) {
    const at = begun + (next * 1_000) / rate
    const socket = performance.now() >= at ? free.shift() : undefined
    if (!socket) {
      await delay(1)
      continue
    }
    planned.set(socket, at)
    socket.write(requests[next++]!)
  }
  while (latencies.length < requests.length) await delay(5)
  for (const socket of free) socket.destroy()
  return { latencies: latencies.toSorted((a, b) => a - b), answers }
}

function isComplete(answer: Buffer): boolean {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const [, length] = /content-length: (\d+)/i.exec(answer.toString('latin1', 0, headEnd)) ?? []
  if (length === undefined) throw new Error(`An answer without a length:\n${answer.toString('latin1', 0, headEnd)}`)
  return answer.length >= headEnd + 4 + Number(length)
}
