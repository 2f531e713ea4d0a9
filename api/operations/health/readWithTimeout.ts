import { SECOND } from '#shared/dates.ts'
import { RpcFailure, RpcRefusal } from '#api/platform/chain/rpcErrors.ts'
import { WrongChain } from '#api/platform/chain/RpcEndpoint.ts'

/** The time-out for reading from a chain, including all retries. */
export const CHAIN_TIMEOUT = 2 * SECOND

/** Reads from a chain. Returns the result or, as a string, the reason why there is none. */
export async function readWithTimeout<Answer>(read: () => Promise<Answer>): Promise<Answer | string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`does not answer within ${CHAIN_TIMEOUT / SECOND} seconds`), CHAIN_TIMEOUT)
  })
  const answer = read().catch((error: unknown) => {
    // The messages of these errors contain only the host.
    if (error instanceof RpcFailure || error instanceof RpcRefusal || error instanceof WrongChain) return error.message
    return 'does not answer'
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
