import type { Hex } from 'viem'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import type { Config } from '#api/platform/config.ts'
import { prefixedKey } from '#api/platform/crypto/hexKeys.ts'
import { payingWalletMessage } from '#shared/register/walletMessage.ts'

interface PayingWallet {
  /** In lower case. */
  wallet: Hex
  /** Signs that XCR is paid from it: the `proof` of its address/v1. Valid for one log. */
  signProof: (log: { origin: string; genesisHash: Uint8Array }) => Promise<Hex>
}

/** The configured payout wallet, as the log names it. */
export async function openPayingWallet({ PAYOUT_PRIVATE_KEY }: Pick<Config, 'PAYOUT_PRIVATE_KEY'>): Promise<PayingWallet> {
  // Loaded lazily, because viem is as large as the rest of the server.
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(prefixedKey(PAYOUT_PRIVATE_KEY))
  const wallet = account.address.toLowerCase() as Hex
  return {
    wallet,
    signProof: (log) => account.signMessage({ message: payingWalletMessage({ ...log, chain: REWARD_CHAIN_ID, wallet }) }),
  }
}
