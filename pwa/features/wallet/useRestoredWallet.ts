import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { disconnectHere, restoreWallet } from '#pwa/wallet/connectWallet.ts'
import { wasDisconnectedByHand } from '#pwa/wallet/manualDisconnect.ts'
import { registerFirstWallet } from '#pwa/wallet/registerWallet.ts'
import { noteWalletOwner, walletOwner } from '#pwa/wallet/walletOwner.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { whenWalletIsThere } from '#pwa/wallet/whenWalletIsThere.ts'

/** Takes up the connection of the last visit, and saves the address of a wallet that was connected before its owner logged in. */
export function useRestoredWallet(config: PublicConfig | undefined): void {
  const queryClient = useQueryClient()
  const user = useAuthUser()
  const address = useWallet((wallet) => wallet.address)

  useEffect(() => {
    if (!config || wasDisconnectedByHand()) return
    return whenWalletIsThere(() => void restoreWallet({ config, queryClient }))
  }, [config, queryClient])

  const [userId, registered] = [user?.id, user?.walletAddress]
  useEffect(() => {
    if (userId && registered && address) noteWalletOwner(userId)
    if (!config || !address || registered !== null) return
    // Removed on another device, or passed to another account: this browser must not bring it back.
    if (walletOwner() === userId) void disconnectHere(config)
    else void registerFirstWallet({ config, queryClient, address })
  }, [config, queryClient, address, userId, registered])
}
