import type { Address } from 'viem'
import { createBatcher } from '../db/createBatcher.ts'
import { askInTurn, unavailable } from './askInTurn.ts'
import { createChainClient } from './createChainClient.ts'
import type { PaymentChainClient } from './PaymentChainClient.ts'
import { readBalances } from './readBalances.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** Balances asked for at the same moment go in one call. */
export function createPaymentChainClient(endpoints: readonly RpcEndpoint[], usdt: Address): PaymentChainClient {
  const ask = (method: string, params: unknown) => askInTurn(endpoints, method, params)
  const balanceOf = createBatcher<Address, bigint>({
    maxSize: 200,
    run: (owners) =>
      readBalances(ask, usdt, owners).catch((error: unknown) => {
        throw unavailable(error)
      }),
  })
  return { ...createChainClient(endpoints), usdtBalanceOf: balanceOf }
}
