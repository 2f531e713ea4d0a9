import type { Hex } from 'viem'
import { HOUR } from '#shared/dates.ts'
import { transferCall } from '#api/platform/chain/createPayoutAccount.ts'
import { readFromEachHost } from '#api/platform/chain/readAgreed.ts'
import { hostOf, isRpcRefusal, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { RpcRefusal } from '#api/platform/chain/rpcErrors.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { HotWalletBalance } from './readHotWalletBalance.ts'

const LIFETIME = HOUR
/** Sufficient for transfers of most tokens. */
const DEFAULT_GAS = 100_000n
/** Nodes search for the least gas, with different precision. */
export const MAX_DIFFERENCE = 2n

/** Gas for payouts to be signed now, estimated once an hour. Undefined, with an alert, if the token would revert, or the hosts do not agree. */
export async function readGas(
  context: PayoutContext,
  endpoint: RpcEndpoint,
  { tokens: [newest] }: HotWalletBalance,
): Promise<bigint | undefined> {
  // An empty wallet cannot simulate a transfer, and it signs nothing either.
  if (!newest?.balance) return DEFAULT_GAS
  const known = context.gasEstimate
  if (known && context.services.clock.now().getTime() - known.at.getTime() < LIFETIME) return known.gas
  const gas = await estimateGas(context, endpoint)
  if (typeof gas === 'bigint') {
    context.endAlert('estimate')
    return gas
  }
  await context.alert('estimate', gas)
  return undefined
}

/**
 * Gas for a transfer to an address without tokens, the most expensive case, plus 50 %. What is signed with too little, or with more than a
 * block has, no node takes, and all later nonces wait; so another host must agree, if one answers.
 *
 * @returns why there is no estimate, if there is none.
 * @throws if the endpoint does not answer.
 */
export async function estimateGas(context: PayoutContext, endpoint: RpcEndpoint): Promise<bigint | string> {
  const { account, services, endpoints } = context
  const newHolder: Hex = `0x${crypto.randomUUID().replaceAll('-', '').padStart(40, '1')}`
  const call = { from: account.address, to: services.config.XCR_TOKEN_ADDRESS, data: transferCall(newHolder, 1n) }
  const ask = async (one: RpcEndpoint) => BigInt(await one.request<Hex>('eth_estimateGas', [call]))
  try {
    const own = await ask(endpoint)
    if (own === 0n) throw new RpcRefusal({ code: 0, message: 'it is said to need no gas' })
    const others = await readFromEachHost(
      endpoints.filter(({ url }) => hostOf(url) !== hostOf(endpoint.url)),
      ask,
    )
    const alike = others.filter((other) => other <= own * MAX_DIFFERENCE && own <= other * MAX_DIFFERENCE)
    if (others.length > 0 && alike.length === 0) {
      // The one in use may be the wrong one of three.
      context.leave(endpoint)
      context.gasEstimate = undefined
      return 'The endpoints of the reward chain do not agree on the gas of a payout. None is signed until they do.'
    }
    const most = alike.reduce((one, other) => (one > other ? one : other), own)
    const gas = (most * 3n) / 2n
    context.gasEstimate = { gas, at: services.clock.now() }
    return gas
  } catch (error) {
    if (!isRpcRefusal(error)) throw error
    context.leave(endpoint)
    return `The reward chain says that a payout would fail, so none is signed: ${error.message}`
  }
}
