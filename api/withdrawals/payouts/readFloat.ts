import type { Hex } from 'viem'
import { transferCall } from '#api/platform/chain/createPayoutAccount.ts'
import { type Fees, readFees } from '#api/platform/chain/readFees.ts'
import { HOUR } from '#shared/dates.ts'
import { isRpcRefusal, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutDesk } from './PayoutDesk.ts'
import { type ChainView, countNonces } from './readChain.ts'

/** The payout wallet's balances, each with the number of nonces whose payouts it already reflects. */
export interface Float {
  tokens: { balance: bigint; nonces: number }[]
  /** The balance for fees, in the chain's native coin. */
  coins: bigint
  fees: Fees
}

/**
 * Reads the hot wallet's balances together with the nonce count at the same block: payouts signed from that nonce on still have to be
 * subtracted. Reads the newest and the newest final block, because a top-up that is not final may be rolled back.
 */
export async function readFloat(desk: PayoutDesk, { endpoint, head, finalBlock, final }: ChainView): Promise<Float> {
  const { address } = desk.account
  const [newest, settled, coins, fees] = await Promise.all([
    readTokens(desk, endpoint, head),
    final === undefined ? undefined : finalBlock < 0n ? { balance: 0n, nonces: 0 } : readTokens(desk, endpoint, finalBlock),
    endpoint.request<Hex>('eth_getBalance', [address, 'latest']).then(BigInt),
    readFees(endpoint),
  ])
  return { tokens: settled ? [newest, settled] : [newest], coins, fees }
}

async function readTokens(desk: PayoutDesk, endpoint: RpcEndpoint, number: bigint): Promise<{ balance: bigint; nonces: number }> {
  const { account, services } = desk
  const block: Hex = `0x${number.toString(16)}`
  const call = { to: services.config.XCR_TOKEN_ADDRESS, data: `0x70a08231${account.address.slice(2).padStart(64, '0')}` }
  const [answer, nonces] = await Promise.all([
    endpoint.request<Hex>('eth_call', [call, block]),
    countNonces(endpoint, account.address, block),
  ])
  // Empty before the token's deployment.
  return { balance: answer === '0x' ? 0n : BigInt(answer), nonces }
}

const GAS_KNOWN_FOR = HOUR
/** Sufficient for transfers of most tokens. */
const GAS_OF_MOST = 100_000n

/**
 * Gas for a transfer to an address without tokens, the most expensive case, plus 50 %.
 *
 * @returns undefined if the token would revert now, so that nothing is signed.
 */
export function createGasEstimate(): (desk: PayoutDesk, endpoint: RpcEndpoint, float: Float) => Promise<bigint | undefined> {
  let known: { gas: bigint; at: number } | undefined
  return async (desk, endpoint, { tokens: [newest] }) => {
    // An empty wallet cannot simulate a transfer, and it signs nothing either.
    if (!newest?.balance) return GAS_OF_MOST
    const now = desk.services.clock.now().getTime()
    if (known && now - known.at < GAS_KNOWN_FOR) return known.gas
    const nobody: Hex = `0x${crypto.randomUUID().replaceAll('-', '').padStart(40, '1')}`
    const call = { from: desk.account.address, to: desk.services.config.XCR_TOKEN_ADDRESS, data: transferCall(nobody, 1n) }
    try {
      known = { gas: (BigInt(await endpoint.request<Hex>('eth_estimateGas', [call])) * 3n) / 2n, at: now }
      desk.over('estimate')
      return known.gas
    } catch (error) {
      if (!isRpcRefusal(error)) throw error
      await desk.alert('estimate', `The reward chain says that a payout would fail, so none is signed: ${error.message}`)
      return undefined
    }
  }
}
