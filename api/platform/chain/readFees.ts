import type { Hex } from 'viem'
import { ChainUnavailable } from './ChainClient.ts'
import { readFromEachHost } from './readAgreed.ts'
import { hostOf, type RpcEndpoint } from './RpcEndpoint.ts'
import { RpcFailure } from './rpcErrors.ts'

/** In wei per unit of gas. */
export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/** Fees that the next blocks accept, even if the base fee doubles. */
export async function readFees(endpoint: RpcEndpoint): Promise<Fees> {
  const [price, block] = await Promise.all([
    endpoint.request<Hex>('eth_gasPrice'),
    endpoint.request<{ baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
  ])
  const base = BigInt(block.baseFeePerGas ?? 0)
  if (base < 0n) throw new RpcFailure(`${hostOf(endpoint.url)} returned a negative base fee`)
  const tip = BigInt(price) - base
  const maxPriorityFeePerGas = tip > 0n ? tip : 1n
  return { maxFeePerGas: base * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** What the hosts that answer ask. Both are the same if one host answers, and in the middle of what an odd number asks. */
export interface FeeRange {
  low: Fees
  high: Fees
}

/**
 * Fees between those of all hosts, so that one of three decides nothing. Of two, a payment starts with the lower ones, so that one host
 * alone cannot make it expensive, and is raised towards the higher ones while it is not mined, so that none can hold it back.
 *
 * @throws ChainUnavailable if no host answers.
 */
export async function readFeeRange(endpoints: readonly RpcEndpoint[]): Promise<FeeRange> {
  const asked = await readFromEachHost(endpoints, readFees)
  if (asked.length === 0) throw new ChainUnavailable('No RPC endpoint tells the gas price.')
  const [low, high] = [Math.floor((asked.length - 1) / 2), Math.floor(asked.length / 2)]
  const [most, tips] = [sorted(asked.map((fees) => fees.maxFeePerGas)), sorted(asked.map((fees) => fees.maxPriorityFeePerGas))]
  return {
    low: { maxFeePerGas: most[low]!, maxPriorityFeePerGas: tips[low]! },
    high: { maxFeePerGas: most[high]!, maxPriorityFeePerGas: tips[high]! },
  }
}

const sorted = (values: bigint[]): bigint[] => values.toSorted((one, other) => (one < other ? -1 : Number(one > other)))
