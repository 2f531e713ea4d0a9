import { isDeepStrictEqual } from 'node:util'
import { hostOf, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'

/** The reason why reconciliation cannot proceed. The message includes the steps that were completed. */
export class CannotReconcile extends Error {
  override name = 'CannotReconcile'
}

/** @throws CannotReconcile if one does not answer. */
export const readFromAll = <Answer>(
  endpoints: readonly RpcEndpoint[],
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer[]> =>
  Promise.all(
    endpoints.map((endpoint) =>
      read(endpoint).catch((error: unknown) => {
        if (error instanceof CannotReconcile) throw error
        const reason = error instanceof Error ? error.message : String(error)
        throw new CannotReconcile(
          `${hostOf(endpoint.url)} cannot be reached (${reason}). Try again, or remove it from XCR_RPC_URLS if it is gone permanently.`,
        )
      }),
    ),
  )

/**
 * Returns the answer on which all endpoints agree, because an endpoint that hides a payment would cause it to be paid again. @throws
 * CannotReconcile if they differ.
 */
export async function requireUnanimity<Answer>(
  endpoints: readonly RpcEndpoint[],
  what: string,
  read: (endpoint: RpcEndpoint) => Promise<Answer>,
): Promise<Answer> {
  const [first, ...others] = await readFromAll(endpoints, read)
  const other = others.findIndex((answer) => !isDeepStrictEqual(answer, first))
  if (other >= 0)
    throw new CannotReconcile(
      `${hostOf(endpoints[0]!.url)} and ${hostOf(endpoints[other + 1]!.url)} do not agree on ${what}. ` +
        'Find out which of them is right, and remove the other from XCR_RPC_URLS.',
    )
  return first!
}
