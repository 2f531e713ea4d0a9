import { createPost } from './createPost.ts'
import { type RpcError, RpcFailure, RpcRefusal } from './rpcErrors.ts'

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
  const { host } = new URL(address)
  const post = createPost(address, { timeout })
  const send = (body: string, limit = maxAnswer) => post(body, { maxAnswer: limit })
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
      throw new RpcRefusal({ code, message: `${host} ${method}: ${message}`, data })
    }
    if (status !== 200 || !answer || answer.result === undefined) throw new RpcFailure(`${host} ${method}: answered ${status}`)
    return answer.result
  }

  async function callAll(calls: readonly Call[]): Promise<void> {
    const requests = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: (id += 1), method, params }))
    const { status, text } = await send(JSON.stringify(requests))
    const answers = parse(text)
    if (!Array.isArray(answers)) {
      // The endpoint rejects batches; send requests one by one.
      if (answers?.error?.code === undefined) throw new RpcFailure(`${host} ${calls[0]!.method}: answered ${status}`)
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
