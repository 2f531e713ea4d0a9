import { ChainUnavailable } from './ChainClient.ts'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/** How JSON-RPC says that a call ran and reverted. Not all nodes use the number, and a call may fail in other ways than reverting. */
const REVERTED = 3
const failedCall = /revert|opcode|bad instruction|out of gas|invalid jump|stack (under|over)flow|EVM error/i

/** Whether a call ran and failed: every node would say the same. */
export const isFailedCall = (error: unknown): boolean =>
  isRpcRefusal(error) && (error.code === REVERTED || failedCall.test(error.message))

/** The answer of the first endpoint that gives one. @throws ChainUnavailable if none does, or the refusal of a call that ran and failed. */
export async function askInTurn(endpoints: readonly RpcEndpoint[], method: string, params: unknown): Promise<unknown> {
  let last: unknown
  for (const endpoint of endpoints) {
    try {
      return await endpoint.request(method, (params ?? []) as readonly unknown[])
    } catch (error) {
      if (isFailedCall(error)) throw error
      last = error
    }
  }
  throw unavailable(last)
}

/** Asks all of a question of one endpoint, the first that answers all of it. @throws ChainUnavailable if none does. */
export async function askWhole<Answer>(
  endpoints: readonly RpcEndpoint[],
  question: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer> {
  let last: unknown
  for (const endpoint of endpoints) {
    try {
      return await question(endpoint)
    } catch (error) {
      last = error
    }
  }
  throw unavailable(last)
}

export const unavailable = (cause?: unknown): ChainUnavailable => new ChainUnavailable('No RPC endpoint answers.', { cause })
