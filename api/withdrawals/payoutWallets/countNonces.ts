import type { Address, Hex } from 'viem'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'

/** The number of nonces that a wallet has used as of this block. */
export const countNonces = async (endpoint: RpcEndpoint, wallet: Address, block: Hex | 'latest' | 'pending'): Promise<number> =>
  Number(await endpoint.request<Hex>('eth_getTransactionCount', [wallet, block]))
