import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { sessionId } from '../bench/reservations/prepareBuyers.ts'
import type { LoadPlan, LoadReport, Attempt } from './LoadPlan.ts'

/**
 * Drives the load of a sale's first minute in a separate process: visitors with an event stream, who fetch the figures whenever it opens and
 * after change events, and buyers among them who reserve at T0. It is minimal, because it shares the machine with the product.
 *
 * Prints `warm` when a fifth of the streams are open and `open` when all are, each followed by a pause of a second, and `ready` when all are connected, starts after the line `go`, and prints a LoadReport after all buyers have an answer and the line
 * `end`.
 */
const plan = JSON.parse(process.argv[2] ?? '{}') as LoadPlan
const { port, visitors, buyers, firstBuyer } = plan
const STATS = '/api/stats/nodes'

/** Every visitor has a separate address, as in production. */
const addressOf = (visitor: number): string => `127.${10 + (visitor >> 16)}.${(visitor >> 8) & 255}.${visitor & 255 || 254}`
const cookieOf = (visitor: number): string[] =>
  visitor < buyers ? [`Cookie: __Host-user_session=${sessionId(firstBuyer + visitor)}`] : []

const write = (method: string, path: string, headers: readonly string[], body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Sec-Fetch-Site: same-origin',
    ...headers,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    '',
    body,
  ].join('\r\n')

interface Answer {
  status: number
  headers: string
  body: string
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** A keep-alive connection for sequential requests. */
class Connection {
  readonly #visitor: number
  #socket: Socket | undefined
  #received = ''
  #waiting: Waiting | undefined

  constructor(visitor: number) {
    this.#visitor = visitor
  }

  async open(): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed) return this.#socket
    const socket = connect({ host: '127.0.0.1', port, localAddress: addressOf(this.#visitor), noDelay: true })
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      this.#received += String(text)
      const answer = takeAnswer(this.#received)
      if (!answer) return
      this.#received = ''
      this.#settle((waiting) => waiting.resolve(answer))
    })
    const lose = () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#settle((waiting) => waiting.reject(new Error('lost')))
    }
    socket.on('error', lose)
    socket.on('close', lose)
    this.#socket = socket
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    return socket
  }

  async request(text: string): Promise<Answer> {
    const socket = await this.open()
    this.#received = ''
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      socket.write(text)
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #settle(notify: (waiting: Waiting) => void): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting) notify(waiting)
  }
}

function takeAnswer(text: string): Answer | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const headers = text.slice(0, headEnd)
  const status = Number(headers.slice(9, 12))
  const body = text.slice(headEnd + 4)
  const [, length] = /^content-length: (\d+)/im.exec(headers) ?? []
  if (length !== undefined) return body.length >= Number(length) ? { status, headers, body } : undefined
  if (status === 304 || status === 204) return { status, headers, body: '' }
  return body.endsWith('0\r\n\r\n') ? { status, headers, body } : undefined
}

const streams: LoadReport['streams'] = { opened: 0, refused: {}, lost: 0, messages: 0, openAtEnd: 0 }
const figures: LoadReport['figures'] = { asked: 0, statuses: {}, milliseconds: [] }
let ending = false

/** The number of connections that all pages share for fetching the figures. */
const SHARED_CONNECTIONS = 64
const idle = Array.from({ length: SHARED_CONNECTIONS }, (_, connection) => new Connection(visitors + connection))
const asking = new Set<number>()
const queue: number[] = []

/** Two change events during a pending request cause only one more. */
function readFigures(visitor: number): void {
  if (!plan.readAgain || ending || asking.has(visitor)) return
  asking.add(visitor)
  queue.push(visitor)
  void work()
}

const etags = new Map<number, string>()

async function work(): Promise<void> {
  const connection = idle.pop()
  if (!connection) return
  for (let visitor = queue.shift(); visitor !== undefined; visitor = queue.shift()) {
    asking.delete(visitor)
    const begun = performance.now()
    const etag = etags.get(visitor)
    try {
      const { status, headers } = await connection.request(write('GET', STATS, etag ? [`If-None-Match: ${etag}`] : []))
      const [, given] = /^etag: (.*)$/im.exec(headers) ?? []
      if (given) etags.set(visitor, given)
      figures.statuses[status] = (figures.statuses[status] ?? 0) + 1
    } catch {
      figures.statuses.lost = (figures.statuses.lost ?? 0) + 1
    }
    figures.asked += 1
    if (figures.asked % 16 === 0) figures.milliseconds.push(performance.now() - begun)
  }
  idle.push(connection)
}

/** Like a browser's EventSource: reconnects after the delay that the server sent. */
async function follow(visitor: number): Promise<void> {
  let retry = 3_000
  while (!ending) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: addressOf(visitor), noDelay: true })
    socket.setEncoding('latin1')
    const status = await new Promise<number>((resolve) => {
      let head = ''
      let isOpen = false
      socket.on('data', (data) => {
        const text = String(data)
        if (isOpen) {
          for (const message of text.split('data: ').slice(1)) {
            streams.messages += 1
            if (message.includes(STATS) && !message.includes('"nodeStats"')) readFigures(visitor)
          }
          // The end of the chunked response. The proxy keeps the connection open.
          if (text.endsWith('0\r\n\r\n')) socket.destroy()
          return
        }
        head += text
        const [, code] = /^HTTP\/1.1 (\d+)/.exec(head) ?? []
        if (code !== '200' && head.includes('\r\n\r\n')) {
          socket.destroy()
          resolve(Number(code))
          return
        }
        const [, given] = /retry: (\d+)/.exec(head) ?? []
        if (given === undefined) return
        retry = Number(given)
        isOpen = true
        streams.opened += 1
        streams.openAtEnd += 1
        // A page fetches them when it is loaded. Later streams open with them.
        if (!loaded.has(visitor)) readFigures(visitor)
        loaded.add(visitor)
        countConnected()
      })
      const lose = () => {
        if (isOpen) {
          streams.openAtEnd -= 1
          if (!ending) streams.lost += 1
        }
        isOpen = false
        resolve(0)
      }
      socket.on('error', lose)
      socket.on('close', lose)
      socket.write(write('GET', '/api/events', ['Accept: text/event-stream', ...cookieOf(visitor)]))
      open.add(socket)
    })
    open.delete(socket)
    socket.destroy()
    if (status > 0) streams.refused[status] = (streams.refused[status] ?? 0) + 1
    // After a refused stream the page itself reconnects.
    await delay(status > 0 ? 5_000 : retry, undefined, { ref: false })
  }
}
const open = new Set<Socket>()
const loaded = new Set<number>()

let unconnected = visitors
let countConnected = () => {}
const allConnected = new Promise<void>((resolve) => {
  countConnected = () => {
    unconnected -= 1
    if (unconnected === 0) resolve()
  }
})
/** The number of visitors who connect at the same time. */
const BATCH_SIZE = 250
/** The first streams warm the processes up. The memory of the others is measured. */
const warm = Math.ceil(visitors / 5)
async function reportOpen(word: string, count: number): Promise<void> {
  while (visitors - unconnected < count) await delay(50)
  await delay(1_000)
  console.log(word)
}
for (let visitor = 0; visitor < visitors; visitor += 1) {
  void follow(visitor)
  if (visitor % BATCH_SIZE === BATCH_SIZE - 1) await delay(100)
  if (visitor === warm - 1) await reportOpen('warm', warm)
}
await reportOpen('open', visitors)
const connections = Array.from({ length: buyers }, (_, visitor) => new Connection(visitor))
for (const [visitor, connection] of connections.entries()) {
  // As the purchase page does. It also warms up the processes.
  await connection.request(write('GET', '/api/node-purchase/reservation', cookieOf(visitor)))
  if (visitor % BATCH_SIZE === BATCH_SIZE - 1) await delay(20)
}
await allConnected
console.log('ready')

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
await input.next()
const zero = performance.now()
const pending = [
  ...connections
    .slice(0, buyers - plan.late)
    .map((connection, visitor) => reserve(connection, { visitor, at: (plan.spread * visitor) / buyers })),
  ...connections
    .slice(buyers - plan.late)
    .map((connection, n) => reserve(connection, { visitor: buyers - plan.late + n, at: plan.lateAfter })),
]
const attempts = await Promise.all(pending)
console.log('answered')
await input.next()
// Waits for streams that are reconnecting.
for (let waited = 0; streams.openAtEnd < visitors && waited < 30; waited += 1) await delay(1_000)
ending = true
const openAtEnd = streams.openAtEnd
for (const socket of open) socket.destroy()
for (const connection of connections) connection.close()
const report: LoadReport = { attempts, streams: { ...streams, openAtEnd }, figures }
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))

/** Sends a reservation, and retries it with the same key until there is a final answer. */
async function reserve(connection: Connection, { visitor, at }: { visitor: number; at: number }): Promise<Attempt> {
  await delay(at)
  const buyer = firstBuyer + visitor
  const body = '{"requestedQuantity":1}'
  const key = `Idempotency-Key: 5b9ab4c8-0c1d-4c52-9f0b-${String(buyer).padStart(12, '0')}`
  const origin = `Origin: http://127.0.0.1:${port}`
  const text = write('POST', '/api/node-purchase/reservation', [origin, key, ...cookieOf(visitor)], body)
  const sentAt = performance.now() - zero
  const repeats: string[] = []
  for (;;) {
    const answer = await connection.request(text).catch(() => undefined)
    const [, code] = /"code":"(\w+)"/.exec(answer?.body ?? '') ?? []
    const [, retryAfter] = /^retry-after: (\d+)/im.exec(answer?.headers ?? '') ?? []
    const isFinal = answer && answer.status !== 503 && code !== 'request_in_progress'
    if (isFinal || repeats.length > 60)
      return { buyer, sentAt, answeredAt: performance.now() - zero, status: answer?.status ?? 0, code, repeats }
    repeats.push(answer ? `${answer.status}${retryAfter === undefined ? ' without Retry-After' : ''}` : 'no answer')
    await delay(answer?.status === 503 ? Number(retryAfter ?? 1) * 1_000 : 100)
  }
}
