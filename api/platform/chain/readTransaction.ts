import type { Address, Hash } from 'viem'
import { DomainError } from '../errors.ts'
import type { Agreement } from './readAgreed.ts'
import { readAgreedBlock, readAgreedFinalNumber } from './readAgreedBlock.ts'
import { readAgreedReceipt, type ReceiptTransfer, transfersIn } from './readAgreedReceipt.ts'
import type { RpcEndpoint } from './RpcEndpoint.ts'

/** A mined transaction. */
export interface MinedTransaction {
  blockNumber: bigint
  blockHash: Hash
  succeeded: boolean
  isFinal: boolean
  /** Transfers of the requested token, in log order. */
  transfers: ReceiptTransfer[]
}

/**
 * Reads a transaction for an administrator's decision, before the database transaction. Where two hosts are configured, they must
 * agree (money.md 2). Null if they agree that it does not exist.
 *
 * @throws 503 `chain_unavailable` if this cannot be determined now.
 */
export async function readTransaction(
  endpoints: readonly RpcEndpoint[],
  { hash, token, confirmations }: { hash: Hash; token: Address; confirmations: number },
): Promise<MinedTransaction | null> {
  const receipt = requireAgreement(await readAgreedReceipt(endpoints, hash))
  if (!receipt) return null
  const { blockNumber, blockHash, succeeded } = receipt
  const [block, finalNumber] = await Promise.all([
    readAgreedBlock(endpoints, blockNumber),
    readAgreedFinalNumber(endpoints, confirmations),
  ])
  const isCanonical = requireAgreement(block)?.hash === blockHash
  return {
    blockNumber,
    blockHash,
    succeeded,
    isFinal: isCanonical && finalNumber !== undefined && blockNumber <= finalNumber,
    transfers: transfersIn(receipt, token),
  }
}

/** Returns the agreed answer, or null if absence is agreed. @throws 503 `chain_unavailable` otherwise. */
export function requireAgreement<Answer>(agreement: Agreement<Answer>): Answer | null {
  if (agreement.kind === 'agreed') return agreement.answer
  if (agreement.kind === 'absent') return null
  throw new DomainError('chain_unavailable', describe(agreement), {
    status: 503,
    retryAfter: 5,
    cause: agreement.kind === 'unknown' ? agreement.cause : undefined,
  })
}

function describe(agreement: Exclude<Agreement<unknown>, { kind: 'agreed' | 'absent' }>): string {
  if (agreement.kind === 'disagree')
    return `The endpoints ${agreement.hosts.join(', ')} contradict each other about this transaction. It cannot be verified now. Please try again.`
  const { answeredBy, shownBy } = agreement
  if (answeredBy.length === 1)
    return `Only one endpoint answers (${answeredBy[0]}). The transaction cannot be verified now. Please try again.`
  if (shownBy.length === 1)
    return `Only one endpoint knows this transaction (${shownBy[0]}). It cannot be verified now. Please try again.`
  return "The transaction can't be looked up right now. Please try again."
}
