import type { Hash } from 'viem'
import { readFromEachHost, votesNeeded } from '#api/platform/chain/readAgreed.ts'
import { readAgreedBlock } from '#api/platform/chain/readAgreedBlock.ts'
import { readAgreedReceipt, type ReceiptTransfer, transfersIn } from '#api/platform/chain/readAgreedReceipt.ts'
import { requireAgreement } from '#api/platform/chain/readTransaction.ts'
import { readBlock } from '#api/platform/chain/readTransfers.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Config } from '#api/platform/config.ts'
import { transferUnsuitable } from './errors.ts'

/** A final, successful transaction and its transfers of XCR. */
export interface Payment {
  transactionHash: Hash
  transfers: ReceiptTransfer[]
  blockTime: Date
}

/**
 * Reads the transaction of a manual payment before the database transaction begins. Where two hosts are configured, two must show it
 * alike (money.md 2).
 *
 * @throws 409 with the reason if it does not qualify as a payment; 503 `chain_unavailable` while the chain cannot be read.
 */
export async function readPayment(
  endpoints: readonly RpcEndpoint[],
  { config, transactionHash }: { config: Pick<Config, 'XCR_TOKEN_ADDRESS' | 'XCR_CONFIRMATIONS'>; transactionHash: Hash },
): Promise<Payment> {
  const receipt = requireAgreement(await readAgreedReceipt(endpoints, transactionHash))
  if (!receipt) throw transferUnsuitable('This transaction is not on the reward chain.')
  if (!receipt.succeeded) throw transferUnsuitable('This transaction failed.')
  const [agreed, heads] = await Promise.all([
    readAgreedBlock(endpoints, receipt.blockNumber),
    readFromEachHost(endpoints, async (endpoint) => (await readBlock(endpoint, 'latest'))?.number ?? -1n),
  ])
  const finalFrom = receipt.blockNumber + BigInt(config.XCR_CONFIRMATIONS) - 1n
  const isDeep = heads.filter((head) => head >= finalFrom).length >= votesNeeded(endpoints)
  const block = requireAgreement(agreed)
  if (!isDeep || block?.hash !== receipt.blockHash)
    throw transferUnsuitable('This transaction is not final yet. Please try again in a moment.')
  return { transactionHash, transfers: transfersIn(receipt, config.XCR_TOKEN_ADDRESS), blockTime: block.time }
}
