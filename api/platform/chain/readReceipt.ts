import type { Address, Hash } from 'viem'
import { AnswerTooLarge, RpcFailure } from './createJsonRpc.ts'
import { isTransfer, type RpcLog, toHex, TRANSFER_TOPIC, unpadAddress } from './readTransfers.ts'
import { hostOf, isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/** What became of a transaction in a block, with its transfers of one token. */
export interface Receipt {
  blockNumber: bigint
  blockHash: Hash
  succeeded: boolean
  /** In the order of their logs: the index is a transfer's ordinal. */
  transfers: { sender: Address; recipient: Address; amount: bigint }[]
}

interface RpcReceipt {
  status: string
  blockNumber: `0x${string}`
  blockHash: Hash
  logs: RpcLog[]
}

const outcomes: Partial<Record<string, boolean>> = { '0x1': true, '0x0': false }

/** Null where the endpoint has none, which says nothing: it may be behind. */
export async function readReceipt(endpoint: RpcEndpoint, hash: Hash, token: Address): Promise<Receipt | null> {
  const receipt = await endpoint.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt?.blockNumber) return null
  const succeeded = outcomes[receipt.status]
  // To take it for a failure would give back what was paid.
  if (succeeded === undefined) throw new RpcFailure(`${hostOf(endpoint.url)} told a receipt without its status`)
  return {
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: receipt.blockHash,
    succeeded,
    transfers: toTransfers(receipt.logs, token),
  }
}

/**
 * The receipts of all transactions that moved the token in a range of blocks, with one question. Only what succeeds leaves a log: a
 * transaction that is not among them may have failed, or moved nothing.
 *
 * Empty where the endpoint does not answer for so much at once.
 */
export async function readReceiptsOfTransfers(
  endpoint: RpcEndpoint,
  { token, from, to }: { token: Address; from: bigint; to: bigint },
): Promise<Map<Hash, Receipt>> {
  let logs: RpcLog[]
  try {
    logs = await endpoint.request<RpcLog[]>('eth_getLogs', [
      { address: token, topics: [TRANSFER_TOPIC], fromBlock: toHex(from), toBlock: toHex(to) },
    ])
  } catch (error) {
    if (isRpcRefusal(error) || error instanceof AnswerTooLarge) return new Map()
    throw error
  }
  const standing = logs.filter(({ removed }) => removed !== true)
  const byHash = Map.groupBy(standing, ({ transactionHash }) => transactionHash)
  return new Map(
    [...byHash].map(([hash, [first, ...others]]) => [
      hash,
      {
        blockNumber: BigInt(first!.blockNumber),
        blockHash: first!.blockHash,
        succeeded: true,
        transfers: toTransfers([first!, ...others], token),
      },
    ]),
  )
}

const toTransfers = (logs: readonly RpcLog[], token: Address): Receipt['transfers'] =>
  logs
    .filter((log) => isTransfer(log, token))
    .toSorted((a, b) => Number(a.logIndex) - Number(b.logIndex))
    .map((log) => ({
      sender: unpadAddress(log.topics[1]!),
      recipient: unpadAddress(log.topics[2]!),
      amount: BigInt(log.data),
    }))
