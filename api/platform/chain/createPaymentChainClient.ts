import type { Address } from 'viem'
import { createBatcher } from '../db/createBatcher.ts'
import { requestWithFallback, unavailable } from './requestWithFallback.ts'
import { createChainClient } from './createChainClient.ts'
import { mapConcurrent } from './mapConcurrent.ts'
import type { PaymentChainClient } from './PaymentChainClient.ts'
import { readFromEnoughHosts } from './readAgreed.ts'
import { readBalances } from './readBalances.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** Balances per call. */
const BATCH_SIZE = 200
const MAX_CONCURRENT_CALLS = 4

/** Concurrent balance reads share one call. */
export function createPaymentChainClient(endpoints: readonly RpcEndpoint[], usdt: Address): PaymentChainClient {
  const ask = (method: string, params: unknown) => requestWithFallback(endpoints, method, params)
  const balanceOf = createBatcher<Address, bigint>({
    maxSize: BATCH_SIZE,
    run: (owners) =>
      readBalances(ask, usdt, owners).catch((error: unknown) => {
        throw unavailable(error)
      }),
  })
  return {
    ...createChainClient(endpoints),
    usdtBalanceOf: balanceOf,
    async usdtBalancesAt(block, owners) {
      const answers = await readFromEnoughHosts(endpoints, (endpoint) => readAll(endpoint, block, owners))
      return owners.map((_, index) => answers.map((balances) => balances[index]!).reduce((a, b) => (a > b ? a : b)))
    },
  }

  async function readAll(endpoint: RpcEndpoint, block: bigint, owners: readonly Address[]): Promise<bigint[]> {
    const batches = Array.from({ length: Math.ceil(owners.length / BATCH_SIZE) }, (_, index) =>
      owners.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
    )
    const read = (batch: readonly Address[]) =>
      readBalances((method, params) => endpoint.request(method, params), usdt, batch, block)
    return (await mapConcurrent(batches, MAX_CONCURRENT_CALLS, read)).flat()
  }
}
