import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { lastWallet, WALLET_CONNECT } from '#pwa/wallet/lastWallet.ts'
import { wasDisconnectedManually } from '#pwa/wallet/manualDisconnect.ts'
import { storeWalletOwner, walletOwner } from '#pwa/wallet/walletOwner.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { onceWalletDetected } from '#pwa/wallet/onceWalletDetected.ts'

// Loaded lazily, because most visitors have no wallet in this browser.
const loadConnectWallet = () => import('#pwa/wallet/connectWallet.ts')
const loadRegisterWallet = () => import('#pwa/wallet/registerWallet.ts')

/** Restores the wallet of the last visit, and registers a wallet that was connected before the login. */
export function useRestoredWallet(config: PublicConfig | undefined): void {
  const queryClient = useQueryClient()
  const user = useAuthUser()
  const address = useWallet((wallet) => wallet.address)

  useEffect(() => {
    if (!config || wasDisconnectedManually()) return
    const restore = () => {
      useWallet.setState({ isRestoring: true })
      loadConnectWallet()
        .then(({ restoreWallet }) => restoreWallet({ config, queryClient }))
        .catch(console.info)
        .finally(() => useWallet.setState({ isRestoring: false }))
    }
    if (lastWallet() !== WALLET_CONNECT) return onceWalletDetected(restore)
    // A wallet in another app is not detected in this browser, and not reached without a connection.
    if (navigator.onLine) return restore()
    window.addEventListener('online', restore, { once: true })
    return () => window.removeEventListener('online', restore)
  }, [config, queryClient])

  const [userId, registered] = [user?.id, user?.walletAddress]
  useEffect(() => {
    if (userId && registered && address) storeWalletOwner(userId)
    if (!config || !address || registered !== null) return
    // It was removed on another device or in another tab, or registered by another account: it must not be registered again.
    if (walletOwner() === userId || wasDisconnectedManually())
      void loadConnectWallet().then(({ disconnectLocally }) => disconnectLocally(config), console.info)
    else
      void loadRegisterWallet().then(
        ({ registerFirstWallet }) => registerFirstWallet({ config, queryClient, address }),
        console.info,
      )
  }, [config, queryClient, address, userId, registered])
}
