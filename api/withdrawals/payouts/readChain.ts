import type { Address } from 'viem'
import { readFromEachHost, votesNeeded } from '#api/platform/chain/readAgreed.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import { isRpcRefusal, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { countNonces } from '../payoutWallets/countNonces.ts'
import type { PayoutContext } from './PayoutContext.ts'

/** The wallet's state at one endpoint, and the highest nonce count at any endpoint. */
export interface ChainView {
  endpoint: RpcEndpoint
  head: bigint
  /** The newest final block; negative if the chain is too short. */
  finalBlock: bigint
  /** The number of nonces used as of the newest block. */
  mined: number
  /** The number of nonces used as of the final block; undefined if the endpoint has pruned that block's state. */
  final: number | undefined
  /** The highest number of nonces used at any endpoint, pending transactions included. */
  seen: number
}

/** Reads the wallet's state from the current endpoint. @throws if that does not answer. */
export async function readChain(context: PayoutContext): Promise<ChainView> {
  const { endpoint, account, services } = context
  const { head, finalBlock } = await readHeights(endpoint, services.config.XCR_CONFIRMATIONS)
  const [mined, final, seen] = await Promise.all([
    countNonces(endpoint, account.address, 'latest'),
    countFinal(endpoint, account.address, finalBlock),
    countSeen(context, account.address),
  ])
  return { endpoint, head, finalBlock, mined, final, seen: Math.max(mined, seen) }
}

/** The newest block of an endpoint, and its newest final one. @throws if it does not answer. */
export async function readHeights(endpoint: RpcEndpoint, confirmations: number): Promise<Pick<ChainView, 'head' | 'finalBlock'>> {
  const latest = await readBlock(endpoint, 'latest')
  if (!latest) throw new Error('The reward chain has no blocks.')
  return { head: latest.number, finalBlock: latest.number - BigInt(confirmations) + 1n }
}

/**
 * The highest number of nonces used at any endpoint, pending transactions included. Endpoints that do not answer are skipped: one that knows
 * a foreign transaction is sufficient.
 */
export async function countSeen({ endpoints }: Pick<PayoutContext, 'endpoints'>, wallet: Address): Promise<number> {
  const counts = endpoints.flatMap((endpoint) =>
    (['latest', 'pending'] as const).map((tag) => countNonces(endpoint, wallet, tag).catch(() => 0)),
  )
  return Math.max(...(await Promise.all(counts)))
}

/**
 * The number of nonces that a wallet has used. Two hosts must answer, if two are configured: a count that is too low would repeat payments.
 *
 * @throws if too few answer.
 */
export async function countUsed({ endpoints }: Pick<PayoutContext, 'endpoints'>, wallet: Address): Promise<number> {
  const counts = await readFromEachHost(endpoints, async (endpoint) =>
    Math.max(...(await Promise.all((['latest', 'pending'] as const).map((tag) => countNonces(endpoint, wallet, tag))))),
  )
  if (counts.length < votesNeeded(endpoints))
    throw new Error(
      `Too few endpoints of the reward chain tell what the payout wallet ${wallet} has sent. Nothing is paid until then.`,
    )
  return Math.max(...counts)
}

/** Nodes prune the state of old blocks, some of all but the newest. */
export async function countFinal(endpoint: RpcEndpoint, wallet: Address, finalBlock: bigint): Promise<number | undefined> {
  if (finalBlock < 0n) return 0
  return countNonces(endpoint, wallet, `0x${finalBlock.toString(16)}`).catch((error: unknown) => {
    if (isRpcRefusal(error)) return undefined
    throw error
  })
}
