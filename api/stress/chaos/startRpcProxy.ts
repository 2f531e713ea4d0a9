import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createRandom, type Random } from './createRandom.ts'

/** How an endpoint fails. */
export type RpcFault =
  | { kind: 'errors' }
  /** Never answers. */
  | { kind: 'timeouts' }
  | { kind: 'hangUps' }
  /** Returns wrong data, like a damaged or dishonest node. */
  | { kind: 'wrongAnswers' }
  /** Invents payments with receipts, and omits some real ones. */
  | { kind: 'inventedPayments' }
  /** Returns the state of this many blocks ago. */
  | { kind: 'lag'; blocks: number }

export interface RpcProxy {
  url: string
  /** @returns a function that ends this fault, unless another one has replaced it. */
  fail(fault: RpcFault, seed: number): () => void
  heal(): void
  stop(): Promise<void>
}

interface Call {
  id: number
  method: string
  params: unknown[]
}

interface Answer {
  result?: unknown
  error?: { code: number; message: string }
}

/** Starts an RPC proxy in front of a chain that can fail on request. */
export async function startRpcProxy(chainUrl: string): Promise<RpcProxy> {
  let fault: RpcFault | undefined
  let random: Random = createRandom(0)
  const hanging = new Set<ServerResponse>()
  const forged: Forged = new Map()

  const ask = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    const response = await fetch(chainUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as Answer
  }

  const server = createServer(async (request, response) => {
    try {
      const call = JSON.parse(await text(request)) as Call
      const answer = await decide(call, response)
      if (answer)
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...answer }))
    } catch {
      response.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  /** Undefined if there is no response. */
  async function decide(
    { method, params }: Call,
    response: ServerResponse,
  ): Promise<Pick<Answer, 'result' | 'error'> | undefined> {
    if (fault === undefined) return pick(await ask(method, params))
    const now = fault
    switch (now.kind) {
      case 'errors':
        // The transaction is accepted or not, regardless of the error.
        if (method === 'eth_sendRawTransaction' && random.chance(50)) await ask(method, params)
        return { error: { code: -32_000, message: 'internal error' } }
      case 'timeouts':
        if (method === 'eth_sendRawTransaction' && random.chance(50)) await ask(method, params)
        hanging.add(response)
        return undefined
      case 'hangUps':
        if (method === 'eth_sendRawTransaction' && random.chance(50)) await ask(method, params)
        response.destroy()
        return undefined
      case 'wrongAnswers':
        return pick(await lie(ask, { method, params, random }))
      case 'inventedPayments':
        return pick(await invent(ask, { method, params, random, forged }))
      case 'lag':
        return pick(await answerLate(ask, { method, params, blocks: now.blocks }))
    }
  }

  const release = () => {
    for (const response of hanging) response.destroy()
    hanging.clear()
  }
  const heal = () => {
    fault = undefined
    release()
  }
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    fail(next, seed) {
      fault = next
      random = createRandom(seed)
      return () => {
        if (fault === next) heal()
      }
    },
    heal,
    async stop() {
      release()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port
const pick = ({ result, error }: Answer): Answer => (error ? { error } : { result: result ?? null })
const toHex = (number: number): string => `0x${Math.max(0, number).toString(16)}`

type Ask = (method: string, params: readonly unknown[]) => Promise<Answer>

/**
 * Half of its answers are wrong, but in a way that the product must handle: it invents no payments, and only one endpoint of the chain
 * does this.
 */
async function lie(ask: Ask, { method, params, random }: Omit<Call, 'id'> & { random: Random }): Promise<Answer> {
  const wrong = random.chance(50)
  // It claims to have the transaction but has dropped it.
  if (wrong && method === 'eth_sendRawTransaction') return { error: { code: -32_000, message: 'already known' } }
  const answer = await ask(method, params)
  if (!wrong || answer.error) return answer
  switch (method) {
    case 'eth_getLogs':
      return { result: [] }
    case 'eth_getTransactionReceipt':
      return { result: null }
    case 'eth_getTransactionCount':
      return { result: toHex(Number(answer.result) - random.between(1, 3)) }
    case 'eth_chainId':
      return { result: '0x1' }
    case 'eth_getBlockByNumber':
      return random.chance(50) ? { result: null } : answer
    case 'eth_getBalance':
    case 'eth_call':
      return { result: `0x${'0'.repeat(64)}` }
    default:
      return answer
  }
}

interface Log {
  topics: string[]
  transactionHash: string
}

/** The receipts of invented transactions, by their hash. */
type Forged = Map<string, unknown>

/** Omits one log in three, and adds payments from known wallets with matching receipts. */
async function invent(
  ask: Ask,
  { method, params, random, forged }: Omit<Call, 'id'> & { random: Random; forged: Forged },
): Promise<Answer> {
  if (method === 'eth_getTransactionReceipt' && forged.has(String(params[0]))) return { result: forged.get(String(params[0])) }
  const answer = await ask(method, params)
  if (method !== 'eth_getLogs' || answer.error) return answer
  const logs = answer.result as Log[]
  const shown = logs.filter(() => !random.chance(33))
  const [filter] = params as [{ toBlock: string }]
  const { result } = await ask('eth_getBlockByNumber', [filter.toBlock, false])
  const block = result as { number: string; hash: string; timestamp: string } | null
  const [model] = logs
  if (!block || !model) return { result: shown }
  const log = {
    ...model,
    data: `0x${(3n * 10n ** 18n * BigInt(random.between(1, 9))).toString(16).padStart(64, '0')}`,
    transactionHash: `0x${randomBytes(32).toString('hex')}`,
    logIndex: '0x0',
    blockNumber: block.number,
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
  }
  const { transactionHash, blockNumber, blockHash } = log
  forged.set(transactionHash, { transactionHash, blockNumber, blockHash, status: '0x1', logs: [log] })
  return { result: [...shown, log] }
}

interface Numbered {
  number?: string
  blockNumber?: string
}

/** Answers with the state of some blocks ago, as far as the response shows its block. */
async function answerLate(ask: Ask, { method, params, blocks }: Omit<Call, 'id'> & { blocks: number }): Promise<Answer> {
  const head = Number((await ask('eth_blockNumber', [])).result) - blocks
  const behind = (which: unknown): unknown => {
    if (which === 'latest' || which === 'pending') return toHex(head)
    return which === 'finalized' ? toHex(head - 2) : which
  }
  if (method === 'eth_blockNumber') return { result: toHex(head) }
  if (method === 'eth_getLogs') {
    const [filter] = params as [{ fromBlock: string; toBlock: string }]
    if (Number(filter.fromBlock) > head) return { result: [] }
    return ask(method, [{ ...filter, toBlock: toHex(Math.min(Number(filter.toBlock), head)) }])
  }
  const answer = await ask(method, params.map(behind))
  const { number, blockNumber } = (answer.result ?? {}) as Numbered
  const isNewer = Number(blockNumber ?? (method === 'eth_getBlockByNumber' ? number : undefined) ?? 0) > head
  return isNewer ? { result: null } : answer
}
