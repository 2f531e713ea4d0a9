import type { Hash } from 'viem'
import { unavailable } from '../chain/askInTurn.ts'
import { type Receipt, readReceipt } from '../chain/readReceipt.ts'
import { readBlock } from '../chain/readTransfers.ts'
import type { RpcEndpoint } from '../chain/RpcEndpoint.ts'
import type { Config } from '../config.ts'
import { transferUnsuitable } from './errors.ts'

/** A final, successful transaction and its transfers of XCR. */
export interface Payment {
  transactionHash: Hash
  transfers: Receipt['transfers']
  blockTime: Date
}

/**
 * Reads the transaction with which somebody has paid by hand, before any transaction of the database.
 *
 * @throws 409 with the reason if it is none that counts; ChainUnavailable if no endpoint answers.
 */
export async function readPayment(
  endpoints: readonly RpcEndpoint[],
  { config, transactionHash }: { config: Pick<Config, 'XCR_TOKEN_ADDRESS' | 'XCR_CONFIRMATIONS'>; transactionHash: Hash },
): Promise<Payment> {
  let last: unknown
  for (const endpoint of endpoints) {
    const receipt = await readReceipt(endpoint, transactionHash, config.XCR_TOKEN_ADDRESS).catch((error: unknown) => {
      last = error
      return undefined
    })
    if (receipt === undefined) continue
    if (receipt === null) throw transferUnsuitable('This transaction is not on the reward chain.')
    if (!receipt.succeeded) throw transferUnsuitable('This transaction failed.')
    const [latest, block] = await Promise.all([readBlock(endpoint, 'latest'), readBlock(endpoint, receipt.blockNumber)])
    const deep = latest && latest.number - receipt.blockNumber + 1n >= BigInt(config.XCR_CONFIRMATIONS)
    if (!deep || block?.hash !== receipt.blockHash)
      throw transferUnsuitable('This transaction is not final yet. Please try again in a moment.')
    return { transactionHash, transfers: receipt.transfers, blockTime: block.time }
  }
  throw unavailable(last)
}
