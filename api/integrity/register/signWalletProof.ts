import type { Hex } from 'viem'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import type { Config } from '#api/platform/config.ts'
import { prefixedKey } from '#api/platform/crypto/hexKeys.ts'
import { payingWalletMessage } from '#shared/register/walletMessage.ts'

interface WalletProof {
  /** The paying wallet, in lower case. */
  wallet: Hex
  signature: Hex
}

/** Signs that XCR is paid from the configured payout wallet: the `proof` of its address/v1. Valid for one log. */
export async function signWalletProof(
  { PAYOUT_PRIVATE_KEY }: Pick<Config, 'PAYOUT_PRIVATE_KEY'>,
  { origin, genesisHash }: { origin: string; genesisHash: Uint8Array },
): Promise<WalletProof> {
  // Loaded lazily, because viem is as large as the rest of the server.
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(prefixedKey(PAYOUT_PRIVATE_KEY))
  const wallet = account.address.toLowerCase() as Hex
  const message = payingWalletMessage({ origin, genesisHash, chain: REWARD_CHAIN_ID, wallet })
  return { wallet, signature: await account.signMessage({ message }) }
}
