import { type Agreement, readFromEachHost, readAgreed, votesNeeded } from './readAgreed.ts'
import { readFinalNumber } from './readFinalNumber.ts'
import { type Block, readBlock } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** The block on whose hash, parent and time two hosts agree. */
export const readAgreedBlock = (endpoints: readonly RpcEndpoint[], number: bigint): Promise<Agreement<Block>> =>
  readAgreed(endpoints, {
    read: (endpoint) => readBlock(endpoint, number),
    textOf: ({ hash, parentHash, time }) => JSON.stringify([hash, parentHash, time]),
  })

/** The newest block that two hosts count as final (money.md 4); undefined if too few of them answer. */
export async function readAgreedFinalNumber(
  endpoints: readonly RpcEndpoint[],
  confirmations: number,
): Promise<bigint | undefined> {
  const answers = await readFromEachHost(endpoints, (endpoint) => readFinalNumber(endpoint, confirmations))
  const numbers = answers.filter((number) => number !== undefined).toSorted((a, b) => Number(b - a))
  return numbers[votesNeeded(endpoints) - 1]
}
