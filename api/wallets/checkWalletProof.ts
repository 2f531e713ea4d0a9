import type { Address, Hex } from 'viem'
import { MINUTE } from '#shared/dates.ts'
import { parseWalletProofMessage, walletProofMessage } from '#shared/walletProofMessage.ts'
import { type ChainClient, ChainUnavailable } from '../chain/ChainClient.ts'
import { DomainError, refusal } from '../errors.ts'

export interface WalletProofInput {
  /** What the message must say: whose account, which wallet, on which site. */
  email: string
  address: Address
  host: string
  message: string
  signature: Hex
  /** Real time. */
  now: Date
}

/** How far a message's time may be behind and ahead of ours. */
const OLDEST = 10 * MINUTE
const NEWEST = 1 * MINUTE

const invalid = (message: string) => refusal(400, 'wallet_proof_invalid', message)

/**
 * Checks that the wallet signed our message for this account, just now.
 *
 * @throws 400 `wallet_proof_invalid`, or 503 `chain_unavailable` if the chain must be asked (a contract wallet) and does not answer.
 */
export async function checkWalletProof(
  chain: ChainClient,
  { email, address, host, message, signature, now }: WalletProofInput,
): Promise<void> {
  const timestamp = parseWalletProofMessage(message)?.timestamp
  if (timestamp === undefined || message !== walletProofMessage({ host, email, address, timestamp })) {
    throw invalid('The signed message does not belong to this account and wallet. Please connect the wallet again.')
  }
  const age = now.getTime() - Date.parse(timestamp)
  // Written so that a time that is none is refused as well.
  if (!(age <= OLDEST && age >= -NEWEST)) {
    throw invalid('The signed message is not from this moment. Please connect the wallet again.')
  }
  const signed = await chain.isSignedBy({ wallet: address, message, signature }).catch((error: unknown) => {
    if (!(error instanceof ChainUnavailable)) throw error
    throw new DomainError('chain_unavailable', 'The signature cannot be checked at this moment. Please try again.', {
      status: 503,
      retryAfter: 5,
      cause: error,
    })
  })
  if (!signed) throw invalid('The signature was not made by this wallet. Please connect the wallet again.')
}
