import { SECOND } from '#shared/dates.ts'
import { createJsonRpc, type JsonRpc, RpcRefusal } from './createJsonRpc.ts'

/** What an endpoint must answer before anything else it says is believed. */
export interface ChainIdentity {
  chainId: number
  /** A token of that chain and its decimals. */
  token?: { address: `0x${string}`; decimals: number }
}

/** An endpoint speaks for another chain, or for another token, than it was configured for. */
export class WrongChain extends Error {
  override name = 'WrongChain'
}

/** Bytes of an answer. One log takes some 600. */
const MAX_ANSWER = 10 * 2 ** 20

/**
 * Bytes of a receipt, which cannot be asked for in parts. The block's gas limits it: 20,000 logs, more than a block of BNB Smart Chain has
 * room for, take 12 MB.
 */
export const MAX_RECEIPT = 48 * 2 ** 20

/** The selector of `decimals()`. */
const DECIMALS_CALL = '0x313ce567'

/**
 * One RPC address of a chain.
 *
 * It must say that it is the right chain at its first use and again after each failure: behind one address a provider may put another node.
 */
export class RpcEndpoint {
  readonly url: string
  readonly #identity: ChainIdentity
  readonly #send: JsonRpc
  #checked: Promise<void> | undefined

  constructor(url: string, identity: ChainIdentity, { timeout = 10 * SECOND, batch = 1 } = {}) {
    this.url = url
    this.#identity = identity
    this.#send = createJsonRpc(url, { timeout, maxAnswer: MAX_ANSWER, batch })
  }

  /** Asks once, without repeating. @throws RpcRefusal; RpcFailure; WrongChain. */
  async request<Answer>(method: string, params: readonly unknown[] = [], options?: { maxAnswer: number }): Promise<Answer> {
    try {
      this.#checked ??= this.#check().catch((error: unknown) => {
        this.#checked = undefined
        throw error
      })
      await this.#checked
      return (await this.#send(method, params, options)) as Answer
    } catch (error) {
      // An answer of JSON-RPC comes from the node we know; anything else may mean another one next time.
      if (!isRpcRefusal(error)) this.#checked = undefined
      throw error
    }
  }

  async #check(): Promise<void> {
    const { chainId, token } = this.#identity
    const answered = Number(await this.#send('eth_chainId', []))
    if (answered !== chainId) throw new WrongChain(`${hostOf(this.url)} is chain ${answered}, not ${chainId}.`)
    if (!token) return
    const decimals = Number(await this.#send('eth_call', [{ to: token.address, data: DECIMALS_CALL }, 'latest']))
    if (decimals !== token.decimals)
      throw new WrongChain(`${hostOf(this.url)}: ${token.address} has ${decimals} decimals, not ${token.decimals}.`)
  }
}

/** Whether the node answered and said no, rather than not answering. */
export const isRpcRefusal = (error: unknown): error is RpcRefusal => error instanceof RpcRefusal

/** The part of an RPC address that may be shown: the rest may carry a key. */
export const hostOf = (url: string): string => new URL(url).host
