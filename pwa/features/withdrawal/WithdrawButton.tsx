import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { tellNotConnected } from './tellNotConnected.ts'
import { openWithdrawal } from './withdrawalStore.ts'

/** The way from a page to the withdrawal. Without a connected wallet it says so. */
export function WithdrawButton({ className }: { className?: string }) {
  const isConnected = useWallet((wallet) => wallet.address !== null)
  return (
    <Button
      translate="no"
      variant="secondary"
      needsServer
      className={className}
      onClick={isConnected ? openWithdrawal : tellNotConnected}
    >
      {t('Withdraw')}
    </Button>
  )
}
