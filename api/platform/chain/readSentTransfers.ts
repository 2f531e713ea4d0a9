import type { Address, Hash, Hex } from 'viem'
import { isTransfer, padAddress, type RpcLog, toHex, TRANSFER_TOPIC, unpadAddress } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** A transfer of the token from or to one of our wallets. */
export interface SentTransfer {
  transactionHash: Hash
  logIndex: number
  sender: Address
  recipient: Address
  amount: bigint
}

interface Range {
  token: Address
  /** The first block; 0 by default. */
  from?: bigint
  upTo: bigint
}

/** All transfers from these wallets, as `readMovedTransfers` reads them. */
export const readSentTransfers = (endpoint: RpcEndpoint, { senders, ...range }: Range & { senders: readonly Address[] }) =>
  readMovedTransfers(endpoint, range, [senders.map(padAddress)])

/** All transfers to these wallets, as `readMovedTransfers` reads them. */
export const readReceivedTransfers = (
  endpoint: RpcEndpoint,
  { recipients, ...range }: Range & { recipients: readonly Address[] },
) => readMovedTransfers(endpoint, range, [null, recipients.map(padAddress)])

/**
 * All transfers in a range of blocks, in chain order, except zero-value ones, which anyone can emit for any wallet.
 *
 * Halves the block range when the endpoint refuses it, and grows it again afterwards.
 */
async function readMovedTransfers(
  endpoint: RpcEndpoint,
  { token, from: first = 0n, upTo }: Range,
  wallets: readonly (readonly Hex[] | null)[],
): Promise<SentTransfer[]> {
  const transfers: SentTransfer[] = []
  const topics = [TRANSFER_TOPIC, ...wallets]
  let size = upTo - first + 1n
  for (let from = first; from <= upTo; ) {
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
