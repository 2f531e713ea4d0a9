import { http } from 'viem'
import { SECOND } from '#shared/dates.ts'

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
  readonly #send: (request: { method: string; params?: unknown }) => Promise<unknown>
  #checked: Promise<void> | undefined

  constructor(url: string, identity: ChainIdentity, { timeout = 10 * SECOND } = {}) {
    this.url = url
    this.#identity = identity
    this.#send = http(url, { timeout, retryCount: 0 })({}).request as never
  }

  /** Asks once, without repeating. @throws what viem throws for a refused or lost request; WrongChain. */
  async request<Answer>(method: string, params: readonly unknown[] = []): Promise<Answer> {
    try {
      this.#checked ??= this.#check().catch((error: unknown) => {
        this.#checked = undefined
        throw error
      })
      await this.#checked
      return (await this.#send({ method, params })) as Answer
    } catch (error) {
      // An answer of JSON-RPC comes from the node we know; anything else may mean another one next time.
      if (!isRpcRefusal(error)) this.#checked = undefined
      throw error instanceof WrongChain ? error : describeFailure(error, { host: hostOf(this.url), method })
    }
  }

  async #check(): Promise<void> {
    const { chainId, token } = this.#identity
    const answered = Number(await this.#send({ method: 'eth_chainId' }))
    if (answered !== chainId) throw new WrongChain(`${hostOf(this.url)} is chain ${answered}, not ${chainId}.`)
    if (!token) return
    const decimals = Number(
      await this.#send({ method: 'eth_call', params: [{ to: token.address, data: DECIMALS_CALL }, 'latest'] }),
    )
    if (decimals !== token.decimals)
      throw new WrongChain(`${hostOf(this.url)}: ${token.address} has ${decimals} decimals, not ${token.decimals}.`)
  }
}

/** A request that failed, without the address it went to: that may carry a key, and errors are logged. */
class RpcFailure extends Error {
  override name = 'RpcFailure'
}

function describeFailure(error: unknown, { host, method }: { host: string; method: string }): RpcFailure {
  const { code, data, details, shortMessage } = error as {
    code?: unknown
    data?: unknown
    details?: unknown
    shortMessage?: unknown
  }
  const failure = new RpcFailure(`${host} ${method}: ${String(details ?? shortMessage ?? 'no answer')}`)
  return Object.assign(failure, code !== undefined && { code }, data !== undefined && { data })
}

/** Whether the node answered and said no, rather than not answering. */
export const isRpcRefusal = (error: unknown): error is Error & { code: number } =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'

/** The part of an RPC address that may be shown: the rest may carry a key. */
export const hostOf = (url: string): string => new URL(url).host
