import type { Address, Hex } from 'viem'
import { askWhole } from '../chain/askInTurn.ts'
import { readReceipt } from '../chain/readReceipt.ts'
import { isTransfer, padAddress, readBlock, type RpcLog, toHex, TRANSFER_TOPIC, unpadAddress } from '../chain/readTransfers.ts'
import type { RpcEndpoint } from '../chain/RpcEndpoint.ts'
import type { Config } from '../config.ts'
import { rewardEndpoints } from '../chain/rewardEndpoints.ts'
import type { PaidTransfer, PayoutChain } from './PayoutChain.ts'

/** Asks each endpoint in turn, all of a question of one of them. */
export function createPayoutChain(config: Pick<Config, 'XCR_RPC_URLS' | 'XCR_TOKEN_ADDRESS' | 'XCR_CONFIRMATIONS'>): PayoutChain {
  const token = config.XCR_TOKEN_ADDRESS
  const endpoints = rewardEndpoints(config)
  const ask = <Answer>(question: (endpoint: RpcEndpoint) => Promise<Answer>) => askWhole(endpoints, question)
  return {
    readFinalBlock: () =>
      ask(async (endpoint) => {
        const latest = await readBlock(endpoint, 'latest')
        if (!latest) throw new Error('The chain has no block.')
        return latest.number - BigInt(config.XCR_CONFIRMATIONS) + 1n
      }),
    readTransfersFrom: (wallets, upTo) => ask((endpoint) => readTransfersFrom(endpoint, { token, wallets, upTo })),
    countSent: (wallet) =>
      ask(async (endpoint) => Number(await endpoint.request<Hex>('eth_getTransactionCount', [wallet, 'latest']))),
    readReceipt: (hash) => ask((endpoint) => readReceipt(endpoint, hash, token)),
  }
}

/** Fewer blocks at a time where the endpoint refuses, or has too much to say, and more again after that. */
async function readTransfersFrom(
  endpoint: RpcEndpoint,
  { token, wallets, upTo }: { token: Address; wallets: readonly Address[]; upTo: bigint },
): Promise<PaidTransfer[]> {
  const transfers: PaidTransfer[] = []
  const senders = wallets.map(padAddress)
  let size = upTo + 1n
  for (let from = 0n; from <= upTo; ) {
    const to = from + size - 1n < upTo ? from + size - 1n : upTo
    let logs: RpcLog[]
    try {
      logs = await endpoint.request<RpcLog[]>('eth_getLogs', [
        { address: token, topics: [TRANSFER_TOPIC, senders], fromBlock: toHex(from), toBlock: toHex(to) },
      ])
    } catch (error) {
      if (to === from) throw error
      size = (to - from + 1n) / 2n
      continue
    }
    for (const log of logs)
      if (log.removed !== true && isTransfer(log, token))
        transfers.push({
          transactionHash: log.transactionHash,
          logIndex: Number(log.logIndex),
          sender: unpadAddress(log.topics[1]!),
          recipient: unpadAddress(log.topics[2]!),
          amount: BigInt(log.data),
        })
    from = to + 1n
    size += size / 4n + 1n
  }
  return transfers
}
