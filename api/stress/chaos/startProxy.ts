import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface ReverseProxy {
  stop(): Promise<void>
}

/** The timeout for a web process, in milliseconds. */
const RESPONSE_TIMEOUT = 5_000

/**
 * A round-robin reverse proxy inside this process. A refused connection is retried with the next web process; a request that was accepted
 * but not answered fails, so that the caller has to retry it.
 */
export async function startProxy({ port, targets }: { port: number; targets: readonly number[] }): Promise<ReverseProxy> {
  const agent = new Agent({ keepAlive: false })
  let turn = 0

  const forward = (target: number, request: IncomingMessage, body: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method, url, headers } = request
      const forwarded = send(
        {
          host: '127.0.0.1',
          port: target,
          method,
          path: url,
          agent,
          timeout: RESPONSE_TIMEOUT,
          headers: { ...headers, 'x-forwarded-for': '127.0.0.1' },
        },
        resolve,
      )
      forwarded.once('timeout', () => forwarded.destroy(new Error('timed out')))
      forwarded.once('error', reject)
      forwarded.end(body)
    })

  const server = createServer(async (request, response) => {
    try {
      const body = await buffer(request)
      for (let tries = 0; tries < targets.length; tries += 1) {
        turn += 1
        try {
          const answer = await forward(targets[turn % targets.length]!, request, body)
          const answerBody = await buffer(answer)
          response.writeHead(answer.statusCode ?? 502, answer.headers).end(answerBody)
          return
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') break
        }
      }
      response.writeHead(502).end()
    } catch {
      response.destroy()
    }
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async stop() {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}
