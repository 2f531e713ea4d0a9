import { readBlock } from './readTransfers.ts'
import { isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/**
 * The newest block that an endpoint counts as final: so many confirmations deep, and at or below the chain's own `finalized`, or three
 * times as deep where the endpoint lacks that tag (money.md 4). Undefined where it has no head.
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
