import { withFallback } from '#api/platform/chain/requestWithFallback.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { byHost } from '#api/platform/chain/readAgreed.ts'
import { readAgreedReceipt, transfersIn } from '#api/platform/chain/readAgreedReceipt.ts'
import { readFinalNumber } from '#api/platform/chain/readFinalNumber.ts'
import { readTransfers, type Transfer } from '#api/platform/chain/readTransfers.ts'
import { hostOf, type RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Config } from '#api/platform/config.ts'
import { AdaptiveRange } from '#api/sale/deposits/AdaptiveRange.ts'
import type { DepositChain, DepositHost } from './DepositChain.ts'

/** Reads from every host of the payment chain. A host with several endpoints uses the first that answers a request completely. */
export function createDepositChain(
  config: Pick<Config, 'BSC_RPC_URLS' | 'USDT_ADDRESS' | 'PAYMENT_CONFIRMATIONS'>,
): DepositChain {
  const endpoints = paymentEndpoints(config)
  const token = config.USDT_ADDRESS
  return {
    hosts: byHost(endpoints).map((endpointsOfHost) => ({
      name: hostOf(endpointsOfHost[0]!.url),
      readFinalBlock: () =>
        withFallback(endpointsOfHost, async (endpoint) => (await readFinalNumber(endpoint, config.PAYMENT_CONFIRMATIONS)) ?? -1n),
      readTransfers: (range) => readInRanges(endpointsOfHost, { token, ...range }),
    })),
    async readTransfersOf(hash) {
      const receipt = await readAgreedReceipt(endpoints, hash)
      return receipt.kind === 'agreed' ? { kind: 'agreed', answer: transfersIn(receipt.answer, token) } : receipt
    },
  }
}

/** Adapts the number of blocks per request: fewer after an error or a large response, then more again. */
async function* readInRanges(
  endpoints: readonly RpcEndpoint[],
  { from, to, ...filter }: Parameters<typeof readTransfers>[1],
): ReturnType<DepositHost['readTransfers']> {
  const plan = new AdaptiveRange()
  for (let start = from; start <= to; ) {
    const end = start + plan.size - 1n < to ? start + plan.size - 1n : to
    const range = { ...filter, from: start, to: end }
    let transfers: Transfer[]
    try {
      transfers = await withFallback(endpoints, (endpoint) => readTransfers(endpoint, range))
    } catch (error) {
      if (!plan.halve()) throw error
      continue
    }
    plan.adapt(transfers.length)
    start = end + 1n
    yield { transfers, from: range.from, to: end }
  }
}
