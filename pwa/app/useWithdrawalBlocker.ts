import { t } from '#pwa/i18n/t.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** The reason why withdrawals are unavailable at the moment, or null. */
export function useWithdrawalBlocker(): string | null {
  const isWalletConnected = useWallet((wallet) => wallet.address !== null)
  if (useIsOffline()) return t('No connection')
  return isWalletConnected ? null : t('Connect your wallet first')
}
