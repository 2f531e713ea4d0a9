import { readBlock } from './readTransfers.ts'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/**
 * The newest block that is final at an endpoint: at the given number of confirmations, and not above the chain's `finalized`
 * block, or at three times the confirmations if the endpoint does not support that tag (money.md 4). Undefined if the endpoint
 * has no head.
 */
export async function readFinalNumber(endpoint: RpcEndpoint, confirmations: number): Promise<bigint | undefined> {
  const latest = await readBlock(endpoint, 'latest')
  if (!latest) return undefined
  const finalized = await readBlock(endpoint, 'finalized').catch((error: unknown) => {
    if (isRpcRefusal(error)) return null
    throw error
  })
  const deep = latest.number - BigInt(confirmations) + 1n
  const finalNumber = finalized ? finalized.number : latest.number - 3n * BigInt(confirmations) + 1n
  return finalNumber < deep ? finalNumber : deep
}
