import { throwUnavailable } from '#api/platform/chain/throwUnavailable.ts'
import type { SignedText } from '#api/platform/chain/ChainClient.ts'
import { isSignedByKey } from '#api/platform/chain/isSignedByKey.ts'
import type { Services } from '#api/platform/services.ts'
import { messageInvalid } from './errors.ts'

export interface SignatureFinding {
  /**
   * The wallet has code on the payment chain and none on the reward chain, so its controller there is unknown and the withdrawal needs
   * review.
   */
  isForeign: boolean
  /**
   * The signature proves ownership on the payment chain, where purchases are paid from. The signature of a contract on the reward chain
   * does not: another contract may live at that address on the payment chain.
   */
  provesWallet: boolean
}

/**
 * Verifies the signature: by the key for an ordinary account; by EIP-1271 for a contract, on the reward chain where it is paid, or on
 * the payment chain if it has no code there.
 *
 * An endpoint that does not answer neither accepts nor rejects the signature. Without the payment chain even an ordinary account's
 * withdrawal is refused, because only that chain shows whether the address is a contract: retrying is cheap, XCR sent to an address
 * without an owner is lost.
 *
 * @throws 400 `withdrawal_message_invalid`; 503 `chain_unavailable`.
 */
export async function checkWithdrawalSignature(
  { rewardChain, paymentChain }: Pick<Services, 'rewardChain' | 'paymentChain'>,
  signed: SignedText,
): Promise<SignatureFinding> {
  try {
    const byKey = await isSignedByKey(signed)
    const onPayment = await paymentChain.codeAt(signed.wallet)
    // Most wallets return here without a call to the reward chain. A delegated account (EIP-7702) is controlled by its key on every
    // chain.
    if (byKey && onPayment !== 'contract') return { isForeign: false, provesWallet: true }

    const onReward = (await rewardChain.codeAt(signed.wallet)) !== 'none'
    const isForeign = onPayment !== 'none' && !onReward
    if (byKey) return { isForeign, provesWallet: true }
    if (await (onReward ? rewardChain : paymentChain).isSignedBy(signed)) return { isForeign, provesWallet: isForeign }
  } catch (error) {
    throwUnavailable(error)
  }
  throw messageInvalid('The signature was not made by your registered wallet. Please sign again.')
}
