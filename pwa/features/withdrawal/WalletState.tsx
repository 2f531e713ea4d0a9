import { shorten } from '#shared/address.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { useOpenWallets } from '../wallet/useOpenWallets.ts'

/** Explains why the wallet cannot sign; nothing if the registered wallet is connected. */
export function WalletState({ registered }: { registered: `0x${string}` | null }) {
  const { address, isRestoring } = useWallet()
  const openWallets = useOpenWallets({ for: 'withdrawal' })
  const { isEnabled } = useSale()
  if (isRestoring) return null
  if (!address) {
    return (
      <Notice
        tone="warning"
        title={t('No wallet connected')}
        action={
          <Button variant="secondary" disabled={!isEnabled} onClick={openWallets}>
            {t(isEnabled ? 'Connect Wallet' : 'Sales Disabled')}
          </Button>
        }
      >
        {t(
          isEnabled
            ? 'Your wallet signs the withdrawal. Signing costs nothing.'
            : 'Sales are stopped, so wallet connection is impossible.',
        )}
      </Notice>
    )
  }
  if (!registered || address === registered) return null
  return (
    <Notice tone="warning" title={t('Another wallet is connected')}>
      <T
        text="Connected: {connected}. Registered: {registered}. Choose the registered account in your wallet. Only its signature is accepted."
        connected={<span translate="no">{shorten(address)}</span>}
        registered={<span translate="no">{shorten(registered)}</span>}
      />
    </Notice>
  )
}
