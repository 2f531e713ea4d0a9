import type { Address, Hash, Hex } from 'viem'
import { RpcFailure } from './rpcErrors.ts'
import { type Agreement, readAgreed } from './readAgreed.ts'
import { isTransfer, readRawReceipt, toLower, unpadAddress } from './readTransfers.ts'
import { hostOf, type RpcEndpoint } from './RpcEndpoint.ts'

/** A receipt with all its logs, in order. All hex is in lower case. */
export interface WholeReceipt {
  transactionHash: Hash
  blockNumber: bigint
  blockHash: Hash
  succeeded: boolean
  logs: ReceiptLog[]
}

interface ReceiptLog {
  address: Address
  topics: Hex[]
  data: Hex
  logIndex: number
}

/** A transfer of one token in a receipt. */
export interface ReceiptTransfer {
  /**
   * Its index among all transfers of the token in the transaction; unlike the log index it is not changed by a reorganization.
   */
  ordinal: number
  logIndex: number
  sender: Address
  recipient: Address
  amount: bigint
}

/** The receipt on whose status, block and logs two hosts agree. */
export const readAgreedReceipt = (endpoints: readonly RpcEndpoint[], hash: Hash): Promise<Agreement<WholeReceipt>> =>
  readAgreed(endpoints, {
    read: (endpoint) => readWholeReceipt(endpoint, hash),
    textOf: (receipt) => JSON.stringify({ ...receipt, blockNumber: String(receipt.blockNumber) }),
  })

/** The transfers of a token in a receipt; empty if the transaction failed. */
export const transfersIn = ({ succeeded, logs }: WholeReceipt, token: Address): ReceiptTransfer[] =>
  (succeeded ? logs : [])
    .filter((log) => isTransfer(log, token))
    .map(({ topics, data, logIndex }, ordinal) => ({
      ordinal,
      logIndex,
      sender: unpadAddress(topics[1]!),
      recipient: unpadAddress(topics[2]!),
      amount: BigInt(data),
    }))

const outcomes: Partial<Record<string, boolean>> = { '0x1': true, '0x0': false }

async function readWholeReceipt(endpoint: RpcEndpoint, hash: Hash): Promise<WholeReceipt | null> {
  const receipt = await readRawReceipt(endpoint, hash)
  if (!receipt?.blockNumber) return null
  const succeeded = outcomes[receipt.status]
  if (succeeded === undefined) throw new RpcFailure(`${hostOf(endpoint.url)} returned a receipt without a status`)
  if (toLower(receipt.transactionHash) !== toLower(hash))
    throw new RpcFailure(`${hostOf(endpoint.url)} returned the receipt of another transaction`)
  return {
    transactionHash: toLower(hash),
    blockNumber: BigInt(receipt.blockNumber),
    blockHash: toLower(receipt.blockHash),
    succeeded,
    logs: receipt.logs
      .map(({ address, topics, data, logIndex }) => ({
        address: toLower(address),
        topics: topics.map(toLower),
        data: toLower(data),
        logIndex: Number(logIndex),
      }))
      .toSorted((a, b) => a.logIndex - b.logIndex),
  }
}
