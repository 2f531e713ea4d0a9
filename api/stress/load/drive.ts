import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { sessionId } from '../bench/reservations/prepareBuyers.ts'
import { HttpConnection, writeRequest } from './HttpConnection.ts'
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

const openConnection = (visitor: number) => new HttpConnection({ port, localAddress: addressOf(visitor) })
const write = (method: string, path: string, headers: readonly string[], body?: string): string =>
  writeRequest({ port, method, path, headers, ...(body && { body }) })

const streams: LoadReport['streams'] = { opened: 0, refused: {}, lost: 0, messages: 0, openAtEnd: 0 }
const figures: LoadReport['figures'] = { asked: 0, statuses: {}, milliseconds: [] }
let ending = false

/** The number of connections that all pages share for fetching the figures. */
const SHARED_CONNECTIONS = 64
const idle = Array.from({ length: SHARED_CONNECTIONS }, (_, connection) => openConnection(visitors + connection))
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
const connections = Array.from({ length: buyers }, (_, visitor) => openConnection(visitor))
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
async function reserve(connection: HttpConnection, { visitor, at }: { visitor: number; at: number }): Promise<Attempt> {
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
