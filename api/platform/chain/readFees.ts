import type { Hex } from 'viem'
import type { RpcEndpoint } from './RpcEndpoint.ts'

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
  const tip = BigInt(price) - base
  const maxPriorityFeePerGas = tip > 0n ? tip : 1n
  return { maxFeePerGas: base * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}
