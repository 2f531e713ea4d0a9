import type { Address, Hash } from 'viem'
import { isTransfer, padAddress, type RpcLog, toHex, TRANSFER_TOPIC, unpadAddress } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** A transfer of the token from one of our wallets. */
export interface SentTransfer {
  transactionHash: Hash
  logIndex: number
  sender: Address
  recipient: Address
  amount: bigint
}

interface SentFilter {
  token: Address
  senders: readonly Address[]
  upTo: bigint
}

/**
 * All transfers from these wallets up to a block, in chain order, except zero-value ones, which anyone can emit for any wallet.
 *
 * Halves the block range when the endpoint refuses it, and grows it again afterwards.
 */
export async function readSentTransfers(endpoint: RpcEndpoint, { token, senders, upTo }: SentFilter): Promise<SentTransfer[]> {
  const transfers: SentTransfer[] = []
  const topics = [TRANSFER_TOPIC, senders.map(padAddress)]
  let size = upTo + 1n
  for (let from = 0n; from <= upTo; ) {
    const to = from + size - 1n < upTo ? from + size - 1n : upTo
    let logs: RpcLog[]
    try {
      logs = await endpoint.request<RpcLog[]>('eth_getLogs', [
        { address: token, topics, fromBlock: toHex(from), toBlock: toHex(to) },
      ])
    } catch (error) {
      if (to === from) throw error
      size = (to - from + 1n) / 2n
      continue
    }
    for (const log of logs) {
      if (log.removed === true || !isTransfer(log, token) || BigInt(log.data) === 0n) continue
      transfers.push({
        transactionHash: log.transactionHash,
        logIndex: Number(log.logIndex),
        sender: unpadAddress(log.topics[1]!),
        recipient: unpadAddress(log.topics[2]!),
        amount: BigInt(log.data),
      })
    }
    from = to + 1n
    size += size / 4n + 1n
  }
  return transfers
}
