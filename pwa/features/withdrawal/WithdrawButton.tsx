import { t } from '#pwa/i18n/t.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { isPhone } from '#pwa/wallet/walletLinks.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { useOpenWallets } from '../wallet/useOpenWallets.ts'
import { showNotConnected } from './showNotConnected.ts'
import { openWithdrawal } from './withdrawalStore.ts'

/** Opens the withdrawal dialog. Without a connected wallet it opens the wallet sheet first, and on desktop says why. */
export function WithdrawButton({ className }: { className?: string }) {
  const isConnected = useWallet((wallet) => wallet.address !== null)
  const isRestoring = useWallet((wallet) => wallet.isRestoring)
  const openWallets = useOpenWallets({ for: 'withdrawal', onConnected: openWithdrawal })
  const { isEnabled } = useSale()

  function connectFirst() {
    if (!isEnabled)
      toast({
        title: t('Sales Disabled'),
        description: t('Sales are stopped, so wallet connection is impossible.'),
        destructive: true,
      })
    else {
      if (!isPhone() && !isRestoring) showNotConnected()
      openWallets()
    }
  }

  return (
    <Button
      translate="no"
      variant="secondary"
      needsServer
      className={className}
      onClick={isConnected ? openWithdrawal : connectFirst}
    >
      {t('Withdraw')}
    </Button>
  )
}
