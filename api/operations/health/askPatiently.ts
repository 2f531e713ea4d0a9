import { SECOND } from '#shared/dates.ts'
import { RpcFailure, RpcRefusal } from '#api/platform/chain/createJsonRpc.ts'
import { WrongChain } from '#api/platform/chain/RpcEndpoint.ts'

/** How long a chain is waited for, whatever it takes to ask it. */
export const CHAIN_PATIENCE = 2 * SECOND

/** Asks a chain, and answers what it says or, in words, why it says nothing. */
export async function askPatiently<Answer>(ask: () => Promise<Answer>): Promise<Answer | string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`does not answer within ${CHAIN_PATIENCE / SECOND} seconds`), CHAIN_PATIENCE)
  })
  const answer = ask().catch((error: unknown) => {
    // Their messages name the host alone.
    if (error instanceof RpcFailure || error instanceof RpcRefusal || error instanceof WrongChain) return error.message
    return 'does not answer'
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
