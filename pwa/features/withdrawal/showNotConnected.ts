import { t } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** Toast for a wallet that is not connected, or no wallet at all. */
export function showNotConnected(): void {
  const { hasProvider, address } = useWallet.getState()
  if (hasProvider || address) {
    toast({ title: t('MetaMask Not Connected'), description: t('Please connect your MetaMask wallet first.'), destructive: true })
  } else {
    toast({
      title: t('MetaMask Required'),
      description: t('Install this browser wallet, then reload the page.'),
      destructive: true,
    })
  }
}
