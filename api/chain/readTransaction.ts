import type { Address, Hash } from 'viem'
import { DomainError } from '../errors.ts'
import { readFinalNumber } from './readFinalNumber.ts'
import { type Receipt, readReceipt } from './readReceipt.ts'
import { readBlock } from './readTransfers.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** A transaction in a block. */
export interface MinedTransaction extends Receipt {
  isFinal: boolean
}

/**
 * Looks a transaction up, before any transaction of the database. Null if no endpoint has it in a block.
 *
 * @throws 503 `chain_unavailable` if none of them answers.
 */
export async function readTransaction(
  endpoints: readonly RpcEndpoint[],
  { hash, token, confirmations }: { hash: Hash; token: Address; confirmations: number },
): Promise<MinedTransaction | null> {
  let isMissing = false
  let last: unknown
  for (const endpoint of endpoints) {
    try {
      const receipt = await readReceipt(endpoint, hash, token)
      if (receipt) return { ...receipt, isFinal: await isFinal(endpoint, receipt, confirmations) }
      isMissing = true
    } catch (error) {
      last = error
    }
  }
  if (isMissing) return null
  throw new DomainError('chain_unavailable', 'The transaction cannot be looked up at this moment. Please try again.', {
    status: 503,
    retryAfter: 5,
    cause: last,
  })
}

async function isFinal(endpoint: RpcEndpoint, { blockNumber, blockHash }: Receipt, confirmations: number): Promise<boolean> {
  const finalNumber = await readFinalNumber(endpoint, confirmations)
  if (finalNumber === undefined || blockNumber > finalNumber) return false
  return (await readBlock(endpoint, blockNumber))?.hash === blockHash
}
