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
    const asked = JSON.parse(await text(request)) as NumberedCall | NumberedCall[]
    // One after the other, as they would come one by one.
    const answers: unknown[] = []
    for (const call of [asked].flat()) {
      const given = await answer(call)
      if (given === 'drop') return void request.socket.destroy()
      answers.push(given)
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
  })
  async function answer(call: NumberedCall): Promise<unknown> {
    calls.push(call)
    const fault = await decide(call)
    if (fault === 'drop') return fault
    if (fault && 'error' in fault) return { jsonrpc: '2.0', id: call.id, error: fault.error }
    const question = JSON.stringify(fault && 'send' in fault ? { ...call, ...fault.send } : call)
    const passed = await fetch(chainUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: question })
    const json = (await passed.json()) as { result?: unknown }
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
