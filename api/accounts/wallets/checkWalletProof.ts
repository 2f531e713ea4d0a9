import type { Address, Hex } from 'viem'
import { parseWalletProofMessage, walletProofMessage } from '#shared/walletProofMessage.ts'
import { throwUnavailable } from '#api/platform/chain/throwUnavailable.ts'
import type { ChainClient } from '#api/platform/chain/ChainClient.ts'
import { refusal } from '#api/platform/errors.ts'
import { isRecentTimestamp } from './isRecentTimestamp.ts'

export interface WalletProofInput {
  /** The required content of the message: account, wallet and site. */
  email: string
  address: Address
  host: string
  message: string
  signature: Hex
  /** Real time. */
  now: Date
}

const invalid = (message: string) => refusal(400, 'wallet_proof_invalid', message)

/**
 * Checks that the wallet has just signed our message for this account.
 *
 * @throws 400 `wallet_proof_invalid`, or 503 `chain_unavailable` if a contract wallet must be verified on the chain and the chain
 * does not answer.
 */
export async function checkWalletProof(
  chain: ChainClient,
  { email, address, host, message, signature, now }: WalletProofInput,
): Promise<void> {
  const timestamp = parseWalletProofMessage(message)?.timestamp
  if (timestamp === undefined || message !== walletProofMessage({ host, email, address, timestamp })) {
    throw invalid('The signed message does not belong to this account and wallet. Please connect the wallet again.')
  }
  if (!isRecentTimestamp(timestamp, now)) {
    throw invalid('The signed message has expired. Please connect the wallet again.')
  }
  const signed = await chain.isSignedBy({ wallet: address, message, signature }).catch(throwUnavailable)
  if (!signed) throw invalid('The signature was not made by this wallet. Please connect the wallet again.')
}
