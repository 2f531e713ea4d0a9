import type { Fees } from '#api/platform/chain/readFees.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { PayoutContext } from './PayoutContext.ts'

const GWEI = 10n ** 9n

/** Whether the gas price exceeds the operator's limit. If so, alerts the operator; nothing is signed or replaced meanwhile. */
export async function isGasPriceTooHigh(context: PayoutContext, endpoint: RpcEndpoint, { maxFeePerGas }: Fees): Promise<boolean> {
  const limit = context.services.config.PAYOUT_MAX_GAS_PRICE
  if (maxFeePerGas <= limit) {
    context.endAlert('gas price')
    return false
  }
  // It may be the only one that says so.
  context.leave(endpoint)
  await context.alert(
    'gas price',
    `A payout would have to offer ${maxFeePerGas / GWEI} gwei for a unit of gas, more than PAYOUT_MAX_GAS_PRICE allows. ` +
      'Withdrawals wait until the gas price falls.',
  )
  return true
}
