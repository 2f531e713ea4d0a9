import { ChainUnavailable } from './ChainClient.ts'
import { readFromFirst } from './readAgreed.ts'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/** The JSON-RPC error code of a reverted call. Not all nodes use it, and calls can fail in other ways than reverting. */
const REVERTED = 3
const failedCall = /revert|opcode|bad instruction|out of gas|invalid jump|stack (under|over)flow|EVM error/i

/** Whether a call was executed and failed, which is the same on every node. */
export const isFailedCall = (error: unknown): boolean =>
  isRpcRefusal(error) && (error.code === REVERTED || failedCall.test(error.message))

/**
 * Returns the first endpoint's answer, trying them in order. @throws ChainUnavailable if none answers, or the error of a call
 * that was executed and failed.
 */
export async function requestWithFallback(endpoints: readonly RpcEndpoint[], method: string, params: unknown): Promise<unknown> {
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

/** Runs all requests of a query on one endpoint, trying the endpoints in order. @throws ChainUnavailable if none completes it. */
export const withFallback = <Answer>(
  endpoints: readonly RpcEndpoint[],
  question: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer> =>
  readFromFirst(endpoints, question).catch((error: unknown) => {
    throw unavailable(error)
  })

export const unavailable = (cause?: unknown): ChainUnavailable => new ChainUnavailable('No RPC endpoint answers.', { cause })
