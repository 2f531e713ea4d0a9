import { Agent as HttpAgent, type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { AnswerTooLarge, RpcFailure } from './rpcErrors.ts'

/** Posts JSON and returns the response, of whatever status. @throws {RpcFailure} */
type Post = (body: string, options: { maxAnswer: number }) => Promise<{ status: number; text: string }>

/**
 * Creates a client for one URL with keep-alive connections. Sends each request once, without retries.
 *
 * @param timeout for the complete response, in milliseconds.
 */
export function createPost(address: string, { timeout }: { timeout: number }): Post {
  const url = new URL(address)
  const isHttps = url.protocol === 'https:'
  const agent = new (isHttps ? HttpsAgent : HttpAgent)({ keepAlive: true })
  const options: RequestOptions = {
    method: 'POST',
    agent,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    path: url.pathname + url.search,
    ...(url.username && { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` }),
  }

  return function post(body, { maxAnswer }) {
    return new Promise((resolve, reject) => {
      let isAborted = false
      const abort = (failure: RpcFailure) => {
        isAborted = true
        request.destroy()
        reject(failure)
      }
      const fail = (reason: string, cause?: unknown) => abort(new RpcFailure(`${url.host} ${reason}`, { cause }))
      const timer = setTimeout(() => fail('took too long'), timeout)
      const request: ClientRequest = (isHttps ? requestHttps : requestHttp)(
        { ...options, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } },
        (response) => {
          const chunks: Buffer[] = []
          let length = 0
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            length += chunk.length
            if (length > maxAnswer) abort(new AnswerTooLarge(`${url.host} answered too much`))
          })
          response.on('error', (error) => fail('did not answer', error))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        },
      )
      request.on('close', () => clearTimeout(timer))
      request.on('error', (error) => {
        // The node closed this idle connection before it received the request, so sending again is safe.
        if (isAborted) return
        if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') resolve(post(body, { maxAnswer }))
        else fail('did not answer', error)
      })
      request.end(body)
    })
  }
}
