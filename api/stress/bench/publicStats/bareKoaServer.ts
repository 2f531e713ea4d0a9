import { readFileSync } from 'node:fs'
import Koa from 'koa'

/** Answers every request with the same headers and body, and does nothing else. Arguments: the port, and the file that has the answer. */
const [port, answerFile = ''] = process.argv.slice(2)
const { headers, body } = JSON.parse(readFileSync(answerFile, 'utf8')) as { headers: Record<string, string>; body: string }

const app = new Koa()
app.use((ctx) => {
  ctx.set(headers)
  ctx.body = body
})
app.listen(Number(port), () => console.log('Running: koa'))
