import { SECOND } from '#shared/dates.ts'
import { createJsonRpc, type JsonRpc } from './createJsonRpc.ts'
import { RpcRefusal } from './rpcErrors.ts'

/** The chain an endpoint must identify as before its answers are used. */
export interface ChainIdentity {
  chainId: number
  /** A token of that chain and its decimals. */
  token?: { address: `0x${string}`; decimals: number }
}

/** The endpoint serves another chain, or a token with other decimals, than configured. */
export class WrongChain extends Error {
  override name = 'WrongChain'
}

/** The maximum size of a response in bytes. One log takes about 600. */
const MAX_RESPONSE = 10 * 2 ** 20

/**
 * The maximum size of a receipt in bytes. A receipt cannot be requested in parts. The block's gas limit bounds it: 20,000 logs,
 * more than fit in a block of BNB Smart Chain, take 12 MB.
 */
export const MAX_RECEIPT = 48 * 2 ** 20

/** The selector of `decimals()`. */
const DECIMALS_CALL = '0x313ce567'

/**
 * One RPC endpoint of a chain.
 *
 * Verifies the chain's identity on first use and after each failure, because a provider may serve another node at the same URL.
 */
export class RpcEndpoint {
  readonly url: string
  readonly #identity: ChainIdentity
  readonly #send: JsonRpc
  #checked: Promise<void> | undefined

  constructor(url: string, identity: ChainIdentity, { timeout = 10 * SECOND, batch = 1 } = {}) {
    this.url = url
    this.#identity = identity
    this.#send = createJsonRpc(url, { timeout, maxAnswer: MAX_RESPONSE, batch })
  }

  /** Sends one request without retries. @throws RpcRefusal; RpcFailure; WrongChain. */
  async request<Answer>(method: string, params: readonly unknown[] = [], options?: { maxAnswer: number }): Promise<Answer> {
    try {
      this.#checked ??= this.#check().catch((error: unknown) => {
        this.#checked = undefined
        throw error
      })
      await this.#checked
      return (await this.#send(method, params, options)) as Answer
    } catch (error) {
      // A JSON-RPC error comes from the verified node; after any other failure another node may answer next time.
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

/** Whether the node answered with an error, as opposed to not answering. */
export const isRpcRefusal = (error: unknown): error is RpcRefusal => error instanceof RpcRefusal

/** The part of an RPC URL that may be shown; the rest may contain an API key. */
export const hostOf = (url: string): string => new URL(url).host
