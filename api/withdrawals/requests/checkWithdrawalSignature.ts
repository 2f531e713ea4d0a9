import { askToTryAgain } from '#api/platform/chain/askToTryAgain.ts'
import type { SignedText } from '#api/platform/chain/ChainClient.ts'
import { isSignedByKey } from '#api/platform/chain/isSignedByKey.ts'
import type { Services } from '#api/platform/services.ts'
import { messageInvalid } from './errors.ts'

export interface SignatureFinding {
  /** The wallet has code on the payment chain and none on the reward chain: who opens it there is for a person to find out. */
  isForeign: boolean
  /**
   * The signature shows whose the wallet is on the payment chain too, where its payments come from. That of a contract on the reward
   * chain does not: at the same address of another chain there may be somebody else's.
   */
  provesWallet: boolean
}

/**
 * Asks the chains whether the wallet has signed: an ordinary account by its key; a contract by its own word on the reward chain, where
 * it is paid, or if there is none of it, on the payment chain.
 *
 * Silence is never a no, and never a yes either. That of the payment chain alone holds up an ordinary account's withdrawal as well,
 * because only that chain can tell that it is no ordinary account: to try again costs a moment, XCR sent to where nobody can move it
 * is gone.
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
    // Nearly every wallet ends here and needs no reward chain. A delegated account (EIP-7702) is its key's on every chain.
    if (byKey && onPayment !== 'contract') return { isForeign: false, provesWallet: true }

    const onReward = (await rewardChain.codeAt(signed.wallet)) !== 'none'
    const isForeign = onPayment !== 'none' && !onReward
    if (byKey) return { isForeign, provesWallet: true }
    if (await (onReward ? rewardChain : paymentChain).isSignedBy(signed)) return { isForeign, provesWallet: isForeign }
  } catch (error) {
    askToTryAgain(error)
  }
  throw messageInvalid('The signature was not made by your registered wallet. Please sign again.')
}
