import type { Hex } from 'viem'
import { transferCall } from '#api/platform/chain/createPayoutAccount.ts'
import { type Fees, readFees } from '#api/platform/chain/readFees.ts'
import { HOUR } from '#shared/dates.ts'
import { isRpcRefusal, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
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

const GAS_ESTIMATE_LIFETIME = HOUR
/** Sufficient for transfers of most tokens. */
const DEFAULT_GAS = 100_000n

/**
 * Gas for a transfer to an address without tokens, the most expensive case, plus 50 %.
 *
 * @returns undefined if the token would revert now, so that nothing is signed.
 */
export function createGasEstimate(): (
  context: PayoutContext,
  endpoint: RpcEndpoint,
  hotWallet: HotWalletBalance,
) => Promise<bigint | undefined> {
  let known: { gas: bigint; at: number } | undefined
  return async (context, endpoint, { tokens: [newest] }) => {
    // An empty wallet cannot simulate a transfer, and it signs nothing either.
    if (!newest?.balance) return DEFAULT_GAS
    const now = context.services.clock.now().getTime()
    if (known && now - known.at < GAS_ESTIMATE_LIFETIME) return known.gas
    const newHolder: Hex = `0x${crypto.randomUUID().replaceAll('-', '').padStart(40, '1')}`
    const call = {
      from: context.account.address,
      to: context.services.config.XCR_TOKEN_ADDRESS,
      data: transferCall(newHolder, 1n),
    }
    try {
      known = { gas: (BigInt(await endpoint.request<Hex>('eth_estimateGas', [call])) * 3n) / 2n, at: now }
      context.endAlert('estimate')
      return known.gas
    } catch (error) {
      if (!isRpcRefusal(error)) throw error
      await context.alert('estimate', `The reward chain says that a payout would fail, so none is signed: ${error.message}`)
      return undefined
    }
  }
}
