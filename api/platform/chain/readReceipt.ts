import type { Address, Hash } from 'viem'
import { AnswerTooLarge, RpcFailure } from './rpcErrors.ts'
import { isTransfer, type RpcLog, toHex, toLower, TRANSFER_TOPIC, unpadAddress } from './readTransfers.ts'
import { hostOf, isRpcRefusal, type RpcEndpoint } from './RpcEndpoint.ts'

/** The result of a mined transaction, with its transfers of one token. */
export interface Receipt {
  blockNumber: bigint
  blockHash: Hash
  succeeded: boolean
  /** In log order: the index is a transfer's ordinal. */
  transfers: { sender: Address; recipient: Address; amount: bigint }[]
}

interface RpcReceipt {
  status: string
  blockNumber: `0x${string}`
  blockHash: Hash
  logs: RpcLog[]
}

const outcomes: Partial<Record<string, boolean>> = { '0x1': true, '0x0': false }

/** Null if the endpoint has none, which proves nothing because it may lag behind. */
export async function readReceipt(endpoint: RpcEndpoint, hash: Hash, token: Address): Promise<Receipt | null> {
  const receipt = await endpoint.request<RpcReceipt | null>('eth_getTransactionReceipt', [hash])
  if (!receipt?.blockNumber) return null
  const succeeded = outcomes[receipt.status]
  // Treating it as a failure would refund a paid withdrawal.
  if (succeeded === undefined) throw new RpcFailure(`${hostOf(endpoint.url)} returned a receipt without a status`)
  return {
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: toLower(receipt.blockHash),
    succeeded,
    transfers: toTransfers(receipt.logs, token),
  }
}

/**
 * The receipts of all transactions that moved the token in a range of blocks, from one request. Only successful transactions have
 * logs: one that is missing here may have failed or moved nothing.
 *
 * Empty if the endpoint refuses the range or the response is too large.
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
  const byHash = Map.groupBy(standing, ({ transactionHash }) => toLower(transactionHash))
  return new Map(
    [...byHash].map(([hash, [first, ...others]]) => [
      hash,
      {
        blockNumber: BigInt(first!.blockNumber),
        blockHash: toLower(first!.blockHash),
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
