import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/** Answers every request with the same bytes. Arguments: the port, and the file with the answer. */
const [port, answerFile = ''] = process.argv.slice(2)
const { headers, body } = JSON.parse(readFileSync(answerFile, 'utf8')) as { headers: string[]; body: string }

createServer((_request, response) => void response.writeHead(200, headers).end(body)).listen(Number(port), () =>
  console.log('Running: node:http'),
)
