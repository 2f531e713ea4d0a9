import { type Agent, request as open } from 'node:http'
import { setImmediate as pause } from 'node:timers/promises'
import type { FuzzRequest } from './generateRequests.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Limits the bytes kept of a response: of an exported file the start is enough, of JSON everything is read. */
const MAX_RESPONSE_SIZE = 4_000_000

/** Sends a request unchanged. Undefined if the connection was closed before an answer. */
export function sendRequest(
  url: string,
  { method, path, headers, body, delivery }: FuzzRequest,
  { agent, cookie }: { agent: Agent; cookie: Record<string, string> },
): Promise<Answer | undefined> {
  const bytes = body === undefined ? undefined : Buffer.from(body.toWellFormed())
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = open({
      hostname,
      port,
      path,
      method,
      agent,
      headers: {
        ...cookie,
        ...headers,
        // Without a length, Node.js does not frame the body of some methods.
        ...(bytes && delivery === 'chunked' && { 'transfer-encoding': 'chunked' }),
        ...(bytes && delivery !== 'chunked' && { 'content-length': String(bytes.length + (delivery === 'truncated' ? 10 : 0)) }),
      },
    })
    sent.on('error', (error) => (delivery === 'truncated' ? resolve(undefined) : reject(error)))
    sent.on('response', (response) => {
      const parts: Buffer[] = []
      let size = 0
      response.on('data', (part: Buffer) => {
        size += part.length
        if (size <= MAX_RESPONSE_SIZE) parts.push(part)
      })
      response.on('error', reject)
      response.on('end', () => {
        if (delivery === 'truncated') sent.destroy()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() })
      })
    })
    void write()

    async function write() {
      if (!bytes) return void sent.end()
      if (delivery === 'truncated') {
        sent.write(bytes, () => sent.destroy())
        return
      }
      if (delivery === 'slow') {
        sent.setNoDelay(true)
        const step = Math.ceil(bytes.length / 4)
        for (let at = 0; at < bytes.length; at += step) {
          sent.write(bytes.subarray(at, at + step))
          await pause()
        }
        return void sent.end()
      }
      sent.end(bytes)
    }
  })
}
