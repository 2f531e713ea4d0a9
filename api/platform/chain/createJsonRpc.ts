import { Agent as HttpAgent, type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/**
 * The node answered with an error. Like every error here it contains only the host, because the rest of the URL may contain an
 * API key.
 */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal'
  /** The JSON-RPC error code. */
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcError) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The node did not answer, or its response is malformed. */
export class RpcFailure extends Error {
  override name = 'RpcFailure'
}

/** The response exceeds the size limit. */
export class AnswerTooLarge extends RpcFailure {
  override name = 'AnswerTooLarge'
}

interface RpcError {
  code: number
  message: string
  data?: unknown
}

interface RpcAnswer {
  id?: unknown
  result?: unknown
  error?: Partial<RpcError>
}

export interface JsonRpcOptions {
  /** The timeout for the complete response, in milliseconds. */
  timeout: number
  /** The maximum size of a response in bytes; a larger one fails with `AnswerTooLarge`. */
  maxAnswer: number
  /** The maximum number of concurrent calls per batch, if the node accepts batches. */
  batch?: number
}

/** `maxAnswer` overrides the size limit for one call, which is then not batched. */
export type JsonRpc = (method: string, params: readonly unknown[], options?: { maxAnswer?: number }) => Promise<unknown>

/** Creates a JSON-RPC client for one URL with keep-alive connections. Sends each request once, without retries. */
export function createJsonRpc(address: string, { timeout, maxAnswer, batch = 1 }: JsonRpcOptions): JsonRpc {
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

  function send(body: string, limit = maxAnswer): Promise<{ status: number; text: string }> {
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
            if (length > limit) abort(new AnswerTooLarge(`${url.host} answered too much`))
          })
          response.on('error', (error) => fail('did not answer', error))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        },
      )
      request.on('close', () => clearTimeout(timer))
      request.on('error', (error) => {
        // The node closed this idle connection before it received the request, so sending again is safe.
        if (isAborted) return
        if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') resolve(send(body, limit))
        else fail('did not answer', error)
      })
      request.end(body)
    })
  }

  let id = 0
  let acceptsBatches = batch > 1
  let waiting: Call[] = []

  async function callOne({ method, params }: Pick<Call, 'method' | 'params'>, limit?: number): Promise<unknown> {
    id += 1
    const { status, text } = await send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), limit)
    return readResult(method, status, parse(text))
  }

  function readResult(method: string, status: number, answer: RpcAnswer | undefined): unknown {
    if (answer?.error?.code !== undefined) {
      const { code, message = 'no reason given', data } = answer.error
      throw new RpcRefusal({ code, message: `${url.host} ${method}: ${message}`, data })
    }
    if (status !== 200 || !answer || answer.result === undefined)
      throw new RpcFailure(`${url.host} ${method}: answered ${status}`)
    return answer.result
  }

  async function callAll(calls: readonly Call[]): Promise<void> {
    const requests = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: (id += 1), method, params }))
    const { status, text } = await send(JSON.stringify(requests))
    const answers = parse(text)
    if (!Array.isArray(answers)) {
      // The endpoint rejects batches; send requests one by one.
      if (answers?.error?.code === undefined) throw new RpcFailure(`${url.host} ${calls[0]!.method}: answered ${status}`)
      acceptsBatches = false
      for (const call of calls) void callOne(call).then(call.resolve, call.reject)
      return
    }
    const byId = new Map((answers as RpcAnswer[]).map((answer) => [answer.id, answer]))
    for (const [index, call] of calls.entries()) {
      try {
        call.resolve(readResult(call.method, status, byId.get(requests[index]!.id)))
      } catch (error) {
        call.reject(error)
      }
    }
  }

  /** Sends the calls collected in this turn of the event loop. */
  function flush(): void {
    const calls = waiting
    waiting = []
    for (let index = 0; index < calls.length; index += batch) {
      const part = calls.slice(index, index + batch)
      if (part.length === 1) void callOne(part[0]!).then(part[0]!.resolve, part[0]!.reject)
      else
        void callAll(part).catch((error: unknown) => {
          for (const call of part) call.reject(error)
        })
    }
  }

  return (method, params, { maxAnswer: limit } = {}) => {
    if (!acceptsBatches || limit !== undefined) return callOne({ method, params }, limit)
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ method, params, resolve, reject })
    })
  }
}

interface Call {
  method: string
  params: readonly unknown[]
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

function parse(text: string): RpcAnswer | undefined {
  try {
    return JSON.parse(text) as RpcAnswer
  } catch {
    return undefined
  }
}
