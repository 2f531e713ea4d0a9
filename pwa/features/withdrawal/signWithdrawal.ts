import { newWithdrawalNonce, withdrawalMessage, type WithdrawalTerms } from '#shared/withdrawalMessage.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { signMessage } from '#pwa/wallet/signMessage.ts'
import type { SignedWithdrawal } from './withdrawalFlow.ts'

type Terms = Omit<WithdrawalTerms, 'host' | 'nonce' | 'timestamp'> & { at: Date }

/** Asks the wallet to sign a withdrawal. No await comes before the request, so that the tap's user activation is still valid. */
export async function signWithdrawal(provider: Eip1193Provider, { at, ...terms }: Terms): Promise<SignedWithdrawal> {
  const { address, amount, fee } = terms
  const signedMessage = withdrawalMessage({
    ...terms,
    host: location.host,
    timestamp: at.toISOString(),
    nonce: newWithdrawalNonce(),
  })
  const signature = await signMessage(provider, { address, message: signedMessage })
  return {
    idempotencyKey: crypto.randomUUID(),
    amount,
    fee,
    signature: signature as `0x${string}`,
    signedMessage,
    signerAddress: address,
  }
}
