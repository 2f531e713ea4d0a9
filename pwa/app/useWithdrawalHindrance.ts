import { useIsOffline } from '#pwa/lib/connection.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** Why no withdrawal can be begun at the moment, or null. */
export function useWithdrawalHindrance(): string | null {
  const isWalletConnected = useWallet((wallet) => wallet.address !== null)
  if (useIsOffline()) return 'No connection'
  return isWalletConnected ? null : 'Connect your wallet first'
}
