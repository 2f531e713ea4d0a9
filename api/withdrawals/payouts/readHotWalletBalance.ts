import type { Address, Hex } from 'viem'
import { type Fees, readFeeRange } from '#api/platform/chain/readFees.ts'
import { readFromEachHost } from '#api/platform/chain/readAgreed.ts'
import { hostOf, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { countNonces } from '../payoutWallets/countNonces.ts'
import type { ChainView } from './readChain.ts'

interface TokenBalance {
  balance: bigint
  nonces: number
}

/** The payout wallet's balances, each with the number of nonces whose payouts it already reflects. */
export interface HotWalletBalance {
  tokens: TokenBalance[]
  /** The same in the newest block of each other host that answers: one alone could invent XCR, and the payouts would fail. */
  elsewhere: TokenBalance[]
  /** The balance for fees, in the chain's native coin. */
  coins: bigint
  /** The same at each other host that answers. */
  coinsElsewhere: bigint[]
  fees: Fees
}

/**
 * Reads the hot wallet's balances together with the nonce count at the same block: payouts signed from that nonce on still have to be
 * subtracted. Reads the newest and the newest final block, because a top-up that is not final may be rolled back.
 */
export async function readHotWalletBalance(
  context: PayoutContext,
  { endpoint, head, finalBlock, final }: ChainView,
): Promise<HotWalletBalance> {
  const { address } = context.account
  const others = context.endpoints.filter(({ url }) => hostOf(url) !== hostOf(endpoint.url))
  const [newest, settled, elsewhere, coins, coinsElsewhere, { low }] = await Promise.all([
    readTokens(context, endpoint, head),
    final === undefined ? undefined : finalBlock < 0n ? { balance: 0n, nonces: 0 } : readTokens(context, endpoint, finalBlock),
    readFromEachHost(others, async (other) => readTokens(context, other, BigInt(await other.request<Hex>('eth_blockNumber')))),
    readCoins(endpoint, address),
    readFromEachHost(others, (other) => readCoins(other, address)),
    readFeeRange(context.endpoints),
  ])
  return { tokens: settled ? [newest, settled] : [newest], elsewhere, coins, coinsElsewhere, fees: low }
}

const readCoins = async (endpoint: RpcEndpoint, address: Address): Promise<bigint> =>
  BigInt(await endpoint.request<Hex>('eth_getBalance', [address, 'latest']))

async function readTokens(context: PayoutContext, endpoint: RpcEndpoint, number: bigint): Promise<TokenBalance> {
  const { account, services } = context
  const block: Hex = `0x${number.toString(16)}`
  const call = { to: services.config.XCR_TOKEN_ADDRESS, data: `0x70a08231${account.address.slice(2).padStart(64, '0')}` }
  const [answer, nonces] = await Promise.all([
    endpoint.request<Hex>('eth_call', [call, block]),
    countNonces(endpoint, account.address, block),
  ])
  // Empty before the token's deployment.
  return { balance: answer === '0x' ? 0n : BigInt(answer), nonces }
}
