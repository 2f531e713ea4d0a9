import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { disconnectHere, restoreWallet } from '#pwa/wallet/connectWallet.ts'
import { wasDisconnectedByHand } from '#pwa/wallet/manualDisconnect.ts'
import { registerFirstWallet } from '#pwa/wallet/registerWallet.ts'
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
  /** The account that this page has seen with an address. */
  const owner = useRef<string>(undefined)
  useEffect(() => {
    if (registered) owner.current = userId
    if (!config || !address || registered !== null) return
    // Removed on another device, or passed to another account: this page must not bring it back.
    if (owner.current === userId) void disconnectHere(config)
    else void registerFirstWallet({ config, queryClient, address })
    owner.current = undefined
  }, [config, queryClient, address, userId, registered])
}
