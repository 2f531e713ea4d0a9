import type { Hash } from 'viem'
import { readAgreedFinality } from '#api/platform/chain/readAgreedFinality.ts'
import { readAgreedReceipt, type ReceiptTransfer, transfersIn } from '#api/platform/chain/readAgreedReceipt.ts'
import { requireAgreement } from '#api/platform/chain/readTransaction.ts'
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
  const finality = await readAgreedFinality(endpoints, receipt, config.XCR_CONFIRMATIONS)
  const block = requireAgreement(finality.block)
  if (!block || !finality.isFinal) throw transferUnsuitable('This transaction is not final yet. Please try again in a moment.')
  return { transactionHash, transfers: transfersIn(receipt, config.XCR_TOKEN_ADDRESS), blockTime: block.time }
}
