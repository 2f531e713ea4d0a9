import { createServer } from 'node:http'
import { filesOfHolder } from './registerFiles.ts'

/** Answers the files of a holder's page with the bytes and headers that the product gave once. Arguments: port, port of the product, day. */
const [port = 0, productPort = 0] = process.argv.slice(2, 4).map(Number)
const files = await Promise.all(
  filesOfHolder(process.argv[4] ?? '').map(async ({ path, range }) => {
    const response = await fetch(`http://127.0.0.1:${productPort}${path}`, { headers: { ...(range && { range }) } })
    const body = Buffer.from(await response.arrayBuffer())
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) => !['connection', 'date', 'keep-alive'].includes(name)),
    )
    return { path, status: response.status, headers, body }
  }),
)
const byPath = new Map(files.map((file) => [file.path, file]))
createServer({ keepAliveTimeout: 20_000 }, (request, response) => {
  const file = byPath.get(request.url ?? '')
  if (file) response.writeHead(file.status, file.headers).end(file.body)
  else response.writeHead(404).end()
}).listen(port, () => console.log('Running'))
