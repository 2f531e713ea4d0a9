import { toast } from '#pwa/ui/toast.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

/** There is a wallet that is not connected, or none at all. */
export function tellNotConnected(): void {
  const { hasProvider, address } = useWallet.getState()
  if (hasProvider || address) {
    toast({ title: 'MetaMask Not Connected', description: 'Please connect your MetaMask wallet first.', destructive: true })
  } else {
    toast({
      title: 'MetaMask Required',
      description: 'Install this browser wallet, then load the page again.',
      destructive: true,
    })
  }
}
