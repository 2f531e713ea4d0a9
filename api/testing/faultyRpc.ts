import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Call {
  method: string
  params: unknown[]
}

/** What becomes of a call: undefined passes it on. */
type Fault =
  | { error: { code: number; message: string } }
  /** Changes the node's answer. */
  | { rewrite: (result: never) => unknown }
  /** Asks the node something else. */
  | { send: Partial<Call> }
  /** Hangs up. */
  | 'drop'
  | undefined

export interface FaultyRpc {
  url: string
  calls: Call[]
  /** Decides what becomes of each call from now on. */
  fail(decide: (call: Call) => Fault | Promise<Fault>): void
  heal(): void
}

/** An RPC endpoint that stands before a chain and fails as it is told to, until the test is over. */
export async function startFaultyRpc(chainUrl: string): Promise<FaultyRpc> {
  let decide: (call: Call) => Fault | Promise<Fault> = () => undefined
  const calls: Call[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const call = JSON.parse(body) as Call & { id: number }
    calls.push(call)
    const fault = await decide(call)
    if (fault === 'drop') return void request.socket.destroy()
    const answer = (json: unknown) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(json))
    if (fault && 'error' in fault) return answer({ jsonrpc: '2.0', id: call.id, error: fault.error })
    const question = fault && 'send' in fault ? JSON.stringify({ ...call, ...fault.send }) : body
    const passed = await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: question })
    const json = (await passed.json()) as { result?: unknown }
    answer(
      fault && 'rewrite' in fault && json.result !== undefined ? { ...json, result: fault.rewrite(json.result as never) } : json,
    )
  })
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
