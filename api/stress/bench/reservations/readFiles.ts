import { filesOfHolder } from './registerFiles.ts'
import { sendAtRate } from './sendAtRate.ts'

/** Reads public files of the register at a constant rate, in a separate process. Arguments: port, requests per second, seconds, day. */
const [port = 0, rate = 0, seconds = 0] = process.argv.slice(2, 5).map(Number)

const requests = filesOfHolder(process.argv[5] ?? '').map(({ path, range }) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${range ? `Range: ${range}\r\n` : ''}\r\n`),
)
const begun = performance.now()
const { answers } = await sendAtRate({
  port,
  connections: 64,
  rate,
  requests: Array.from({ length: rate * seconds }, (_, index) => requests[index % requests.length]!),
})
console.log(JSON.stringify({ ...answers, seconds: (performance.now() - begun) / 1_000 }))
