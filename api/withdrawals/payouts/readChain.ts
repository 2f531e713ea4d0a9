import type { Address, Hex } from 'viem'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import { isRpcRefusal, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutDesk } from './PayoutDesk.ts'

/** What one endpoint says of the wallet now, beside the most that any of them says. */
export interface ChainView {
  endpoint: RpcEndpoint
  head: bigint
  /** The newest block that counts as final; negative on a chain that is too short for one. */
  finalBlock: bigint
  /** Nonces that are used up in the newest block. */
  mined: number
  /** Nonces that are used up for good; undefined where the endpoint does not remember that block's state. */
  final: number | undefined
  /** Nonces that any endpoint has seen used, those in its pool included. */
  seen: number
}

export const countNonces = async (endpoint: RpcEndpoint, wallet: Address, block: Hex | 'latest' | 'pending'): Promise<number> =>
  Number(await endpoint.request<Hex>('eth_getTransactionCount', [wallet, block]))

/** Looks at the wallet through the endpoint in use. @throws if that does not answer. */
export async function readChain(desk: PayoutDesk): Promise<ChainView> {
  const { endpoint, account, services } = desk
  const latest = await readBlock(endpoint, 'latest')
  if (!latest) throw new Error('The reward chain has no blocks.')
  const finalBlock = latest.number - BigInt(services.config.XCR_CONFIRMATIONS) + 1n
  const [mined, final, ...seen] = await Promise.all([
    countNonces(endpoint, account.address, 'latest'),
    countFinal(endpoint, account.address, finalBlock),
    ...desk.endpoints.map((other) => countSeen(other, account.address)),
  ])
  return { endpoint, head: latest.number, finalBlock, mined, final, seen: Math.max(mined, ...seen) }
}

/** Endpoints that are away are passed over: one that knows of a foreign transaction is enough. */
async function countSeen(endpoint: RpcEndpoint, wallet: Address): Promise<number> {
  const counts = (['latest', 'pending'] as const).map((tag) => countNonces(endpoint, wallet, tag).catch(() => 0))
  return Math.max(...(await Promise.all(counts)))
}

/** Nodes forget the state of old blocks, and some that of all but the newest. */
export async function countFinal(endpoint: RpcEndpoint, wallet: Address, finalBlock: bigint): Promise<number | undefined> {
  if (finalBlock < 0n) return 0
  return countNonces(endpoint, wallet, `0x${finalBlock.toString(16)}`).catch((error: unknown) => {
    if (isRpcRefusal(error)) return undefined
    throw error
  })
}
