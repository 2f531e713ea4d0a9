import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Call {
  method: string
  params: unknown[]
}

interface NumberedCall extends Call {
  jsonrpc: string
  id: number
}

/** How a call fails; undefined forwards it unchanged. */
type Fault =
  | { error: { code: number; message: string } }
  /** Changes the node's response. */
  | { rewrite: (result: never) => unknown }
  /** Changes the request to the node. */
  | { send: Partial<Call> }
  /** Closes the connection. */
  | 'drop'
  | undefined

export interface FaultyRpc {
  url: string
  calls: Call[]
  /** Sets the fault of each subsequent call. */
  fail(decide: (call: Call) => Fault | Promise<Fault>): void
  heal(): void
}

/** Starts an RPC proxy in front of a chain, with faults set by the test. It stops after the test. */
export async function startFaultyRpc(chainUrl: string): Promise<FaultyRpc> {
  let decide: (call: Call) => Fault | Promise<Fault> = () => undefined
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as NumberedCall | NumberedCall[]
    // Sequentially, like separate requests.
    const answers: unknown[] = []
    for (const call of [body].flat()) {
      const result = await answer(call)
      if (result === 'drop') return void request.socket.destroy()
      answers.push(result)
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]))
  })
  async function answer(call: NumberedCall): Promise<unknown> {
    calls.push(call)
    const fault = await decide(call)
    if (fault === 'drop') return fault
    if (fault && 'error' in fault) return { jsonrpc: '2.0', id: call.id, error: fault.error }
    const body = JSON.stringify(fault && 'send' in fault ? { ...call, ...fault.send } : call)
    const response = await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const json = (await response.json()) as { result?: unknown }
    return fault && 'rewrite' in fault && json.result !== undefined
      ? { ...json, result: fault.rewrite(json.result as never) }
      : json
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    fail: (next) => {
      decide = next
    },
    heal: () => {
      decide = () => undefined
    },
  }
}

/** Starts an endpoint whose newest block is `frozen.at` from when the test sets it. @returns its URL. */
export async function startStoppable(chainUrl: string, frozen: { at: bigint | undefined }): Promise<string> {
  const stale = await startFaultyRpc(chainUrl)
  stale.fail(({ params }) => {
    const index = params.indexOf('latest')
    if (frozen.at === undefined || index < 0) return undefined
    return { send: { params: params.with(index, `0x${frozen.at.toString(16)}`) } }
  })
  return stale.url
}
