import { readFromEachHost, votesNeeded } from './readAgreed.ts'
import { readAgreedBlock } from './readAgreedBlock.ts'
import type { WholeReceipt } from './readAgreedReceipt.ts'
import { readBlock } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** Whether two hosts count the block of a receipt as final, and what they say about it. */
export async function readAgreedFinality(
  endpoints: readonly RpcEndpoint[],
  { blockNumber, blockHash }: Pick<WholeReceipt, 'blockNumber' | 'blockHash'>,
  confirmations: number,
) {
  const [block, heads] = await Promise.all([
    readAgreedBlock(endpoints, blockNumber),
    readFromEachHost(endpoints, async (endpoint) => (await readBlock(endpoint, 'latest'))?.number ?? -1n),
  ])
  const finalFrom = blockNumber + BigInt(confirmations) - 1n
  const isDeep = heads.filter((head) => head >= finalFrom).length >= votesNeeded(endpoints)
  return { block, isFinal: isDeep && block.kind === 'agreed' && block.answer.hash === blockHash }
}
