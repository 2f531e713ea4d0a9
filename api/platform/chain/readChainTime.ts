import { readFromEachHost, votesNeeded } from './readAgreed.ts'
import { readBlock } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/**
 * A chain's time by its newest blocks. A block's time is never in the future, so it proves that this time has come; a halted
 * chain proves nothing after its last block.
 *
 * With several hosts, the latest time that two of them show. Blocks after `latest` are ignored. Undefined if too few hosts
 * answer.
 */
export async function readChainTime(endpoints: readonly RpcEndpoint[], latest?: Date): Promise<Date | undefined> {
  const blocks = await readFromEachHost(endpoints, (endpoint) => readBlock(endpoint, 'latest'))
  const times = blocks.flatMap((block) => (block && (!latest || block.time <= latest) ? [block.time] : []))
  return times.toSorted((a, b) => b.getTime() - a.getTime())[votesNeeded(endpoints) - 1]
}
