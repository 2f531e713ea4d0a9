import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { wasDisconnectedByHand } from '#pwa/wallet/manualDisconnect.ts'
import { noteWalletOwner, walletOwner } from '#pwa/wallet/walletOwner.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { whenWalletIsThere } from '#pwa/wallet/whenWalletIsThere.ts'

// A page begins without them: most visitors have no wallet in this browser.
const loadConnecting = () => import('#pwa/wallet/connectWallet.ts')
const loadRegistering = () => import('#pwa/wallet/registerWallet.ts')

/** Takes up the connection of the last visit, and saves the address of a wallet that was connected before its owner logged in. */
export function useRestoredWallet(config: PublicConfig | undefined): void {
  const queryClient = useQueryClient()
  const user = useAuthUser()
  const address = useWallet((wallet) => wallet.address)

  useEffect(() => {
    if (!config || wasDisconnectedByHand()) return
    return whenWalletIsThere(() => {
      useWallet.setState({ isRestoring: true })
      loadConnecting()
        .then(({ restoreWallet }) => restoreWallet({ config, queryClient }))
        .catch(console.info)
        .finally(() => useWallet.setState({ isRestoring: false }))
    })
  }, [config, queryClient])

  const [userId, registered] = [user?.id, user?.walletAddress]
  useEffect(() => {
    if (userId && registered && address) noteWalletOwner(userId)
    if (!config || !address || registered !== null) return
    // Removed on another device, or passed to another account: this browser must not bring it back.
    if (walletOwner() === userId) void loadConnecting().then(({ disconnectHere }) => disconnectHere(config), console.info)
    else
      void loadRegistering().then(
        ({ registerFirstWallet }) => registerFirstWallet({ config, queryClient, address }),
        console.info,
      )
  }, [config, queryClient, address, userId, registered])
}
