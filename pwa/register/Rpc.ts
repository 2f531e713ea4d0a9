import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from '#shared/register/values.ts'
import { Unavailable } from './Report.ts'

/** Sends one call to a node of a chain. */
export type Send = (method: string, params: readonly unknown[]) => Promise<unknown>

export interface ChainBlock {
  number: number
  hash: string
  time: Date
}

export interface ChainTransfer {
  token: string
  transaction: string
  block: number
  logIndex: number
  from: string
  to: string
  amount: bigint
}

/** The node answered with an error of its own. */
class RpcError extends Unavailable {}

const TRANSFER_EVENT = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Blocks of one request for logs. */
const MAX_BLOCKS = 50_000
/** Selectors of functions. */
const selectors = { balanceOf: '70a08231', isValidSignature: '1626ba7e' } as const
const MAGIC_1271 = '1626ba7e'

/** A number as 32 bytes in hex. */
export const abiWord = (value: bigint | number | string): string => BigInt(value).toString(16).padStart(64, '0')
export const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes) || '0'}`)

/** An answer of another form is no answer. */
export function answered(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Unavailable(`the answer of the chain's node has no usable ${what}`)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function readQuantity(value: unknown, what: string): number {
  answered(typeof value === 'string' && /^0x[0-9a-f]{1,14}$/i.test(value), what)
  const result = Number(value)
  answered(Number.isSafeInteger(result), what)
  return result
}

function readData(value: unknown, what: string): Uint8Array {
  answered(typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value), what)
  return hexToBytes(value.slice(2))
}

function readWord(value: unknown, digits: number, what: string): string {
  answered(typeof value === 'string' && value.length === digits + 2 && /^0x[0-9a-f]+$/i.test(value), what)
  return value.toLowerCase()
}

const quantity = (value: number): string => `0x${value.toString(16)}`

/** Reads a chain through one node. Its answers are checked for their form; that they are true is the node's word. */
export class Rpc {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  async #request(method: string, ...params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#send(method, params)
    } catch (error) {
      throw error instanceof Unavailable ? error : new RpcError(error instanceof Error ? error.message : String(error))
    }
  }

  async chainId(): Promise<number> {
    return readQuantity(await this.#request('eth_chainId'), 'chain id')
  }

  async block(at: number | 'latest'): Promise<ChainBlock | null> {
    const block = await this.#request('eth_getBlockByNumber', typeof at === 'number' ? quantity(at) : at, false)
    if (block === null) return null
    answered(isObject(block), 'block')
    return {
      number: readQuantity(block.number, 'block number'),
      hash: readWord(block.hash, 64, 'block hash'),
      time: new Date(readQuantity(block.timestamp, 'block time') * 1_000),
    }
  }

  async call(to: string, data: string, block: number | 'latest' | 'finalized'): Promise<Uint8Array> {
    const at = typeof block === 'number' ? quantity(block) : block
    return readData(await this.#request('eth_call', { to, data: `0x${data}` }, at), 'data')
  }

  async callForNumber(to: string, data: string, block: number | 'latest' | 'finalized'): Promise<bigint> {
    const bytes = await this.call(to, data, block)
    answered(bytes.length === 32, 'number')
    return integerOf(bytes)
  }

  async code(address: string, block: 'latest' | 'finalized'): Promise<Uint8Array> {
    return readData(await this.#request('eth_getCode', address, block), 'code')
  }

  /** All transfers of a token in a transaction, in order, or null if the chain does not have it. */
  async transfersIn(token: string, transaction: string): Promise<ChainTransfer[] | null> {
    const receipt = await this.#request('eth_getTransactionReceipt', transaction)
    if (receipt === null) return null
    answered(isObject(receipt) && Array.isArray(receipt.logs), 'receipt')
    return receipt.logs
      .filter((log) => isObject(log) && String(log.address).toLowerCase() === token && isTransfer(log))
      .map(readTransfer)
      .toSorted((a, b) => a.logIndex - b.logIndex)
  }

  /** The transfers of a token from block to block, out of `senders` or to `recipients`. */
  async transfers(
    token: string,
    { from, to, senders, recipients }: { from: number; to: number; senders?: readonly string[]; recipients?: readonly string[] },
  ): Promise<ChainTransfer[]> {
    const topics = [TRANSFER_EVENT, senders?.map(topicOf) ?? null, recipients?.map(topicOf) ?? null]
    const found: ChainTransfer[] = []
    let step = MAX_BLOCKS
    for (let start = from; start <= to; ) {
      const end = Math.min(to, start + step - 1)
      let logs: unknown
      try {
        logs = await this.#request('eth_getLogs', { address: token, topics, fromBlock: quantity(start), toBlock: quantity(end) })
      } catch (error) {
        // Many nodes limit the blocks or the logs of one answer.
        if (!(error instanceof RpcError) || step === 1) throw error
        step = Math.max(1, Math.floor(step / 4))
        continue
      }
      answered(Array.isArray(logs), 'logs')
      for (const log of logs) {
        const one = readTransfer(log)
        const isAsked = (senders?.includes(one.from) ?? true) && (recipients?.includes(one.to) ?? true)
        answered(one.token === token && one.block >= start && one.block <= end && isAsked, 'log: it was not asked for')
        found.push(one)
      }
      start = end + 1
      step = Math.min(MAX_BLOCKS, step * 2)
    }
    return found
  }

  /** The balance at an old block; from a node without old states, the present one less what came in since and plus what went out. */
  async balanceAt(token: string, wallet: string, block: number): Promise<bigint> {
    const data = selectors.balanceOf + abiWord(wallet)
    try {
      return await this.callForNumber(token, data, block)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
    }
    const head = await this.block('latest')
    answered(head, 'latest block')
    const since = { from: block + 1, to: head.number }
    const [present, received, sent] = await Promise.all([
      this.callForNumber(token, data, head.number),
      this.transfers(token, { ...since, recipients: [wallet] }),
      this.transfers(token, { ...since, senders: [wallet] }),
    ])
    return present - sumOf(received) + sumOf(sent)
  }

  /** Whether a contract wallet accepts a signature (EIP-1271). */
  async acceptsSignature(wallet: string, digest: Uint8Array, signature: Hex): Promise<boolean> {
    if ((await this.code(wallet, 'latest')).length === 0) return false
    const bytes = signature.slice(2)
    const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
    const data = selectors.isValidSignature + bytesToHex(digest) + abiWord(64) + abiWord(bytes.length / 2) + padded
    return bytesToHex(await this.call(wallet, data, 'latest')).startsWith(MAGIC_1271)
  }
}

const sumOf = (transfers: readonly ChainTransfer[]): bigint => transfers.reduce((sum, { amount }) => sum + amount, 0n)
const topicOf = (address: string): string => `0x${abiWord(address)}`

const isTransfer = ({ topics }: Record<string, unknown>): boolean =>
  Array.isArray(topics) && String(topics[0]).toLowerCase() === TRANSFER_EVENT

function readTransfer(log: unknown): ChainTransfer {
  answered(isObject(log) && Array.isArray(log.topics) && log.topics.length === 3 && isTransfer(log), 'transfer')
  const data = readData(log.data, 'transfer')
  answered(data.length === 32 && log.removed !== true, 'transfer')
  return {
    token: readWord(log.address, 40, 'address'),
    transaction: readWord(log.transactionHash, 64, 'transaction'),
    block: readQuantity(log.blockNumber, 'block number'),
    logIndex: readQuantity(log.logIndex, 'log index'),
    from: `0x${readWord(log.topics[1], 64, 'sender').slice(26)}`,
    to: `0x${readWord(log.topics[2], 64, 'recipient').slice(26)}`,
    amount: integerOf(data),
  }
}
