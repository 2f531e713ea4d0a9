import { askEachHost, votesNeeded } from './readAgreed.ts'
import { readBlock } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/**
 * The time that a chain has reached, by its newest blocks. A block is never newer than the real time, so it proves that this time has
 * come; a chain that stands still proves nothing beyond its last block.
 *
 * Where several hosts are configured the answer is the latest time that two of them show. Blocks after `latest` are not believed.
 * Undefined where too few hosts answer.
 */
export async function readChainTime(endpoints: readonly RpcEndpoint[], latest: Date): Promise<Date | undefined> {
  const blocks = await askEachHost(endpoints, (endpoint) => readBlock(endpoint, 'latest'))
  const times = blocks.flatMap((block) => (block && block.time <= latest ? [block.time] : []))
  return times.toSorted((a, b) => b.getTime() - a.getTime())[votesNeeded(endpoints) - 1]
}
