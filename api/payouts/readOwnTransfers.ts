import type { Address, Hash, Hex } from 'viem'
import { inParallel } from '../chain/inParallel.ts'
import { readReceipt } from '../chain/readReceipt.ts'
import { padAddress, readBlock, type RpcLog, toHex, TRANSFER_TOPIC } from '../chain/readTransfers.ts'
import { AnswerTooLarge } from '../chain/createJsonRpc.ts'
import { isRpcRefusal, type RpcEndpoint } from '../chain/RpcEndpoint.ts'

/** A transfer of the token out of the payout wallet, as the chain has it. */
export interface OwnTransfer {
  transactionHash: Hash
  nonce: number
  /** Its place among the token's transfers of that transaction. */
  ordinal: number
  recipient: Address
  amount: bigint
  blockTime: Date
}

const RANGE = 10_000n

/** Everything the wallet has sent away from a time on, in blocks up to `to`, in the order of the chain. */
export async function readOwnTransfers(
  endpoint: RpcEndpoint,
  { wallet, token, since, to }: { wallet: Address; token: Address; since: Date; to: bigint },
): Promise<OwnTransfer[]> {
  const from = await findBlockAt(endpoint, since, to)
  const hashes = await readHashes(endpoint, { wallet, token, from, to })
  const transfers = await inParallel([...hashes], 8, async (hash) => {
    const [receipt, transaction] = await Promise.all([
      readReceipt(endpoint, hash, token),
      endpoint.request<{ nonce: Hex; from: Address } | null>('eth_getTransactionByHash', [hash]),
    ])
    const block = receipt && (await readBlock(endpoint, receipt.blockNumber))
    if (!transaction || block?.hash !== receipt?.blockHash)
      throw new Error(`${hash} changed while it was read. Please try again.`)
    return receipt!.transfers.flatMap(({ sender, recipient, amount }, ordinal): OwnTransfer[] =>
      // Another's transaction may move our tokens only if we ever allowed it to, which no transaction of ours does.
      sender === wallet && transaction.from.toLowerCase() === wallet
        ? [{ transactionHash: hash, nonce: Number(transaction.nonce), ordinal, recipient, amount, blockTime: block!.time }]
        : [],
    )
  })
  return transfers.flat().toSorted((a, b) => a.nonce - b.nonce || a.ordinal - b.ordinal)
}

/** Halves the range when the endpoint finds it too large. */
async function readHashes(
  endpoint: RpcEndpoint,
  { wallet, token, from, to }: { wallet: Address; token: Address; from: bigint; to: bigint },
): Promise<Set<Hash>> {
  const hashes = new Set<Hash>()
  let range = RANGE
  for (let start = from; start <= to; ) {
    const end = start + range - 1n < to ? start + range - 1n : to
    try {
      const logs = await endpoint.request<RpcLog[]>('eth_getLogs', [
        { address: token, topics: [TRANSFER_TOPIC, padAddress(wallet)], fromBlock: toHex(start), toBlock: toHex(end) },
      ])
      for (const log of logs) hashes.add(log.transactionHash)
      start = end + 1n
    } catch (error) {
      if (range === 1n || !(isRpcRefusal(error) || error instanceof AnswerTooLarge)) throw error
      range = range / 2n
    }
  }
  return hashes
}

/** The first block at or after a time. */
async function findBlockAt(endpoint: RpcEndpoint, time: Date, newest: bigint): Promise<bigint> {
  let [low, high] = [0n, newest]
  while (low < high) {
    const middle = (low + high) / 2n
    const block = await readBlock(endpoint, middle)
    if (!block) throw new Error(`The reward chain's endpoint has no block ${middle}.`)
    if (block.time < time) low = middle + 1n
    else high = middle
  }
  return low
}
