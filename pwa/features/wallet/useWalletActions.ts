import { useQuery, useQueryClient } from '@tanstack/react-query'
import { configQuery } from '#pwa/lib/queries.ts'
import { connectWallet, disconnectWallet } from '#pwa/wallet/connectWallet.ts'
import { registerWallet } from '#pwa/wallet/registerWallet.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** The wallet actions; null until the configuration with the chains is loaded. */
export function useWalletActions() {
  const queryClient = useQueryClient()
  const { data: config } = useQuery(configQuery)
  if (!config) return null
  return {
    config,
    connect: (walletId: string) => connectWallet({ config, queryClient }, walletId),
    disconnect: () => disconnectWallet({ config, queryClient }),
    /** Registers the connected wallet for the account. */
    register: async () => {
      const { address } = useWallet.getState()
      return address !== null && registerWallet({ config, queryClient, address })
    },
  }
}
