import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { shorten } from '#shared/address.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery, systemSettingsQuery } from '#pwa/lib/queries.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { BusyPress } from '#pwa/ui/BusyPress.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Deferred } from '#pwa/ui/Deferred.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { useOpenWallets } from './useOpenWallets.ts'
import { useRestoredWallet } from './useRestoredWallet.ts'

const Tooltip = lazyPart(async () => (await import('#pwa/ui/Tooltip.tsx')).Tooltip)
export const WalletSheet = lazyPart(async () => (await import('./WalletSheet.tsx')).WalletSheet)

/** The wallet in the top bar: its address, or a connect button. */
export function WalletButton() {
  const { data: config } = useQuery(configQuery)
  const { isLoading } = useQuery(systemSettingsQuery)
  const { isEnabled } = useSale()
  const { address, isConnecting, isSheetOpen } = useWallet()
  const openWallets = useOpenWallets()
  useRestoredWallet(config)

  if (isLoading && !address) return <Skeleton className="h-11 w-28 rounded-input" />
  const prefetch = () => config && void loadWalletAccess(config).catch(() => undefined)
  return (
    <>
      {!address && !isEnabled ? (
        <Deferred placeholder={<SalesDisabled />}>
          <Tooltip text={t('Sales are stopped, so wallet connection is impossible.')}>
            {/* A disabled button fires no pointer events, so the span around it carries the tooltip. */}
            {/* oxlint-disable-next-line jsx_a11y/no-noninteractive-tabindex */}
            <span tabIndex={0} className="rounded-input">
              <SalesDisabled />
            </span>
          </Tooltip>
        </Deferred>
      ) : (
        <Button
          variant="secondary"
          isPending={isConnecting}
          pendingLabel={t('Connecting')}
          onClick={openWallets}
          onPointerEnter={prefetch}
          onFocus={prefetch}
          disabled={!config}
          {...(address && { 'aria-label': t('Wallet {address}', { address: shorten(address) }) })}
        >
          {address ? (
            <>
              <span aria-hidden className="size-2 rounded-full bg-green" />
              <span translate="no" className="exact">
                {shorten(address)}
              </span>
            </>
          ) : (
            t('Connect Wallet')
          )}
        </Button>
      )}
      {isSheetOpen && (
        <Suspense fallback={<BusyPress />}>
          <WalletSheet />
        </Suspense>
      )}
    </>
  )
}

const SalesDisabled = () => (
  <Button variant="secondary" disabled>
    {t('Sales Disabled')}
  </Button>
)
