import { once } from 'node:events'
import { connect } from 'node:net'
import { sessionId } from './prepareBuyers.ts'
import { sendAtRate } from './sendAtRate.ts'

/**
 * Generates load in a separate process: buyers who each reserve one node, with a number of concurrent connections. It is minimal, because
 * it shares the machine with the product: requests are prepared, and only status and length of answers are parsed.
 *
 * Prints `{ "seconds": …, "answers": { "201": … } }`, or at a constant rate per second `{ "p99": …, "answers": … }`.
 */
const [port = 0, clients = 0, buyers = 0, rate] = process.argv.slice(2).map(Number)

const requests = Array.from({ length: buyers }, (_, index) => writeRequest(index + 1))
if (rate) {
  const { latencies, answers } = await sendAtRate({ port, connections: clients, rate, requests })
  console.log(JSON.stringify({ p99: latencies[Math.floor(latencies.length * 0.99)], answers }))
  process.exit()
}
const answers: Record<string, number> = {}
let next = 0

const sockets = await Promise.all(
  Array.from({ length: clients }, async () => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    return socket
  }),
)
const started = performance.now()
await Promise.all(
  sockets.map(
    (socket) =>
      new Promise<void>((resolve, reject) => {
        let received = ''
        const send = () => {
          const request = requests[next]
          next += 1
          if (request) socket.write(request)
          else socket.end(resolve)
        }
        socket.on('error', reject)
        socket.on('close', resolve)
        socket.on('data', (chunk: Buffer) => {
          received += chunk.toString('latin1')
          if (!isComplete(received)) return
          const status = received.slice(9, 12)
          answers[status] = (answers[status] ?? 0) + 1
          received = ''
          send()
        })
        send()
      }),
  ),
)
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1_000, answers }))

function writeRequest(n: number): Buffer {
  const body = '{"requestedQuantity":1}'
  return Buffer.from(
    [
      'POST /api/node-purchase/reservation HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      `Origin: http://127.0.0.1:${port}`,
      'Sec-Fetch-Site: same-origin',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `Cookie: __Host-user_session=${sessionId(n)}`,
      `Idempotency-Key: 5b9ab4c8-0c1d-4c52-9f0b-${String(n).padStart(12, '0')}`,
      '',
      body,
    ].join('\r\n'),
  )
}

function isComplete(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const at = text.search(/content-length: /i)
  if (at < 0 || at > headEnd) throw new Error(`An answer without a length:\n${text}`)
  return text.length >= headEnd + 4 + Number.parseInt(text.slice(at + 16), 10)
}
