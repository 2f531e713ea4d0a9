import { ChainUnavailable } from './ChainClient.ts'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/** What JSON-RPC answers when a call runs and reverts: every node would say the same. */
const REVERTED = 3

/** The answer of the first endpoint that gives one. @throws ChainUnavailable if none does. */
export async function askInTurn(endpoints: readonly RpcEndpoint[], method: string, params: unknown): Promise<unknown> {
  let last: unknown
  for (const endpoint of endpoints) {
    try {
      return await endpoint.request(method, (params ?? []) as readonly unknown[])
    } catch (error) {
      if (isRpcRefusal(error) && error.code === REVERTED) throw error
      last = error
    }
  }
  throw unavailable(last)
}

export const unavailable = (cause: unknown): ChainUnavailable => new ChainUnavailable('No RPC endpoint answers.', { cause })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof ChainUnavailable || (error instanceof Error && isUnavailable(error.cause))
