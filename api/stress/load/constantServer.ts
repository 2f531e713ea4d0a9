import { createServer, type ServerResponse } from 'node:http'

/**
 * A minimal server behind the proxy, as the upper bound for this machine: answers reservations and figures with constants, keeps event
 * streams open, and sends change events as often as the product.
 */
const [port = 0] = process.argv.slice(2).map(Number)
const streams = new Set<ServerResponse>()
const figures = JSON.stringify({ total: 20_000, totalSold: 19_500, remaining: 500, progress: 97.5 })
const reservation = JSON.stringify({
  id: '01900000-0000-7000-8000-000000000001',
  requestedQuantity: 1,
  unitPriceUsdt: '3',
  purchaseAmountUsdt: '3',
  depositAddress: '0x00000000000000000000000000000000000de705',
  expiresAt: new Date(0).toISOString(),
})
let hasChanged = false

const server = createServer({ keepAliveTimeout: 20_000 }, (request, response) => {
  if (request.url === '/api/events') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).write('retry: 2000\n\n')
    streams.add(response)
    request.socket.once('close', () => streams.delete(response))
  } else if (request.url === '/api/stats/nodes') answer(response, 200, figures)
  else {
    request.resume()
    request.once('end', () => {
      hasChanged = true
      answer(response, 201, reservation)
    })
  }
})

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length, ETag: '"1"' }).end(body)
}

setInterval(() => {
  if (!hasChanged) return
  hasChanged = false
  const message = `data: {"keys":["/api/stats/nodes"],"nodeStats":${figures}}\n\n`
  for (const stream of streams) stream.write(message)
}, 1_000)
server.listen(port, () => console.log('Running'))
