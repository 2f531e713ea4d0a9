import { sendAtRate } from './sendAtRate.ts'

/** Reads public files of the register at a constant rate, in a separate process. Arguments: port, requests per second, seconds, day. */
const [port = 0, rate = 0, seconds = 0] = process.argv.slice(2, 5).map(Number)
const day = process.argv[5] ?? ''

/** What the page of a holder reads: the checkpoint, the hashes of blocks, and a block of nodes. */
const files: [name: string, range?: string][] = [
  ['checkpoint'],
  ['log/blocks.bin'],
  [`days/${day}.hashes.bin`],
  [`days/${day}.bin`, 'bytes=26624-39935'],
]
const requests = files.map(([name, range]) =>
  Buffer.from(`GET /register/${name} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${range ? `Range: ${range}\r\n` : ''}\r\n`),
)
const { answers } = await sendAtRate({
  port,
  connections: 64,
  rate,
  requests: Array.from({ length: rate * seconds }, (_, index) => requests[index % requests.length]!),
})
console.log(JSON.stringify(answers))
