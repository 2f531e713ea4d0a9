import type { Hex } from 'viem'
import { readReceipt } from '#api/platform/chain/readReceipt.ts'
import { readSentTransfers } from '#api/platform/chain/readSentTransfers.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import { hostOf } from '#api/platform/chain/RpcEndpoint.ts'
import type { Config } from '#api/platform/config.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import type { PayoutChain } from './PayoutChain.ts'

/** One reader for each endpoint of the reward chain. */
export function createPayoutChains(
  config: Pick<Config, 'XCR_RPC_URLS' | 'XCR_TOKEN_ADDRESS' | 'XCR_CONFIRMATIONS'>,
): PayoutChain[] {
  const token = config.XCR_TOKEN_ADDRESS
  return rewardEndpoints(config).map((endpoint) => ({
    host: hostOf(endpoint.url),
    async readFinalBlock() {
      const latest = await readBlock(endpoint, 'latest')
      if (!latest) throw new Error(`${hostOf(endpoint.url)} has no block`)
      return latest.number - BigInt(config.XCR_CONFIRMATIONS) + 1n
    },
    readTransfersFrom: (wallets, upTo) => readSentTransfers(endpoint, { token, senders: wallets, upTo }),
    countSent: async (wallet) => Number(await endpoint.request<Hex>('eth_getTransactionCount', [wallet, 'latest'])),
    readReceipt: (hash) => readReceipt(endpoint, hash, token),
  }))
}
