import { useEffect, useState } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** The connected wallet, loaded ahead of the press that needs it; null while there is none. */
export function useWithdrawalWallet(config: PublicConfig | undefined): Eip1193Provider | null {
  const address = useWallet((wallet) => wallet.address)
  const [loaded, setLoaded] = useState<{ address: string; provider: Eip1193Provider } | null>(null)
  useEffect(() => {
    if (!config || !address) return
    let isCurrent = true
    loadWalletAccess(config)
      .then((access) => access.provider())
      .then((provider) => isCurrent && provider && setLoaded({ address, provider }))
      .catch((error: unknown) => console.info('The wallet part did not load', error))
    return () => {
      isCurrent = false
    }
  }, [config, address])
  return loaded?.address === address ? loaded.provider : null
}
