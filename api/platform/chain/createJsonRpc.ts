import { Agent as HttpAgent, type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/** The node answered and said no. Like every error here it names the host alone: the rest of an address may carry a key. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal'
  /** The number that JSON-RPC gives the refusal. */
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: RpcError) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The node did not answer, or not in a way that means anything. */
export class RpcFailure extends Error {
  override name = 'RpcFailure'
}

/** The node would answer more than we take at once. */
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
  /** Milliseconds for the whole answer. */
  timeout: number
  /** The most bytes of an answer; a larger one fails with `AnswerTooLarge`. */
  maxAnswer: number
  /** So many calls of one moment go as one question, where the node takes that. */
  batch?: number
}

/** `maxAnswer` replaces the limit of the connection for one call, which then goes in no batch. */
export type JsonRpc = (method: string, params: readonly unknown[], options?: { maxAnswer?: number }) => Promise<unknown>

/** Calls JSON-RPC at one address, over connections that are kept. Asks once, without repeating. */
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
      let hasGivenUp = false
      const giveUp = (failure: RpcFailure) => {
        hasGivenUp = true
        request.destroy()
        reject(failure)
      }
      const fail = (reason: string, cause?: unknown) => giveUp(new RpcFailure(`${url.host} ${reason}`, { cause }))
      const timer = setTimeout(() => fail('took too long'), timeout)
      const request: ClientRequest = (isHttps ? requestHttps : requestHttp)(
        { ...options, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } },
        (response) => {
          const chunks: Buffer[] = []
          let length = 0
          response.on('data', (chunk: Buffer) => {
            chunks.push(chunk)
            length += chunk.length
            if (length > limit) giveUp(new AnswerTooLarge(`${url.host} answered too much`))
          })
          response.on('error', (error) => fail('did not answer', error))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        },
      )
      request.on('close', () => clearTimeout(timer))
      request.on('error', (error) => {
        // The node had closed this connection while it was idle: no answer, but also no question yet.
        if (hasGivenUp) return
        if (request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') resolve(send(body, limit))
        else fail('did not answer', error)
      })
      request.end(body)
    })
  }

  let id = 0
  let takesBatches = batch > 1
  let waiting: Call[] = []

  async function callOne({ method, params }: Pick<Call, 'method' | 'params'>, limit?: number): Promise<unknown> {
    id += 1
    const { status, text } = await send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), limit)
    return judge(method, status, parse(text))
  }

  function judge(method: string, status: number, answer: RpcAnswer | undefined): unknown {
    if (answer?.error?.code !== undefined) {
      const { code, message = 'no reason given', data } = answer.error
      throw new RpcRefusal({ code, message: `${url.host} ${method}: ${message}`, data })
    }
    if (status !== 200 || !answer || answer.result === undefined)
      throw new RpcFailure(`${url.host} ${method}: answered ${status}`)
    return answer.result
  }

  async function callAll(calls: readonly Call[]): Promise<void> {
    const questions = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: (id += 1), method, params }))
    const { status, text } = await send(JSON.stringify(questions))
    const answers = parse(text)
    if (!Array.isArray(answers)) {
      // It speaks JSON-RPC and takes one question at a time: so be it, from now on.
      if (answers?.error?.code === undefined) throw new RpcFailure(`${url.host} ${calls[0]!.method}: answered ${status}`)
      takesBatches = false
      for (const call of calls) void callOne(call).then(call.resolve, call.reject)
      return
    }
    const byId = new Map((answers as RpcAnswer[]).map((answer) => [answer.id, answer]))
    for (const [index, call] of calls.entries()) {
      try {
        call.resolve(judge(call.method, status, byId.get(questions[index]!.id)))
      } catch (error) {
        call.reject(error)
      }
    }
  }

  /** Sends what was asked in this moment. */
  function ask(): void {
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
    if (!takesBatches || limit !== undefined) return callOne({ method, params }, limit)
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(ask)
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
