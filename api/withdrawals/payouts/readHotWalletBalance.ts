import type { Hex } from 'viem'
import { type Fees, readFees } from '#api/platform/chain/readFees.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { countNonces } from '../payoutWallets/countNonces.ts'
import type { ChainView } from './readChain.ts'

/** The payout wallet's balances, each with the number of nonces whose payouts it already reflects. */
export interface HotWalletBalance {
  tokens: { balance: bigint; nonces: number }[]
  /** The balance for fees, in the chain's native coin. */
  coins: bigint
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
  const [newest, settled, coins, fees] = await Promise.all([
    readTokens(context, endpoint, head),
    final === undefined ? undefined : finalBlock < 0n ? { balance: 0n, nonces: 0 } : readTokens(context, endpoint, finalBlock),
    endpoint.request<Hex>('eth_getBalance', [address, 'latest']).then(BigInt),
    readFees(endpoint),
  ])
  return { tokens: settled ? [newest, settled] : [newest], coins, fees }
}

async function readTokens(
  context: PayoutContext,
  endpoint: RpcEndpoint,
  number: bigint,
): Promise<{ balance: bigint; nonces: number }> {
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
