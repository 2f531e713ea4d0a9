import { type Block, readBlock } from '#api/platform/chain/readTransfers.ts'
import { hostOf, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { readWithTimeout } from './readWithTimeout.ts'

export interface EndpointHead {
  /** Its position in the configuration and its host; the rest of the URL may contain a key. */
  name: string
  host: string
  /** Its newest block, or the reason why there is none. */
  head: Block | string
}

/** Reads the newest block of each endpoint concurrently. */
export const readHeads = (endpoints: readonly RpcEndpoint[]): Promise<EndpointHead[]> =>
  Promise.all(
    endpoints.map(async (endpoint, index) => ({
      name: `endpoint ${index + 1} (${hostOf(endpoint.url)})`,
      host: hostOf(endpoint.url),
      head: await readWithTimeout(async () => (await readBlock(endpoint, 'latest')) ?? 'has no block'),
    })),
  )

/** The highest block; undefined if no endpoint answers. */
export const highestOf = (heads: readonly EndpointHead[]): bigint | undefined =>
  heads.reduce<bigint | undefined>(
    (highest, { head }) => (typeof head === 'string' || (highest !== undefined && highest > head.number) ? highest : head.number),
    undefined,
  )
