import { ChevronDown, ChevronRight, QrCode, Smartphone, Wallet } from '#pwa/ui/icons.ts'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { type ReactNode, Suspense, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { isPhone, pageToOpen } from '#pwa/wallet/walletLinks.ts'
import { MORE_WALLETS, useWallet } from '#pwa/wallet/walletStore.ts'
import { PageAddress, rowClass, WalletApps } from './WalletApps.tsx'

const PageQrCode = lazyPart(async () => (await import('./PageQrCode.tsx')).PageQrCode)

/** A wallet may announce an icon that is not a valid image. */
function WalletIcon({ icon }: { icon: string | undefined }) {
  const [isBroken, setBroken] = useState(false)
  if (!icon || isBroken) return <Wallet size={24} aria-hidden className="mx-1 text-ink-9" />
  return <img src={icon} alt="" className="size-8 rounded-small" onError={() => setBroken(true)} />
}

/** The wallets of this browser, and the ways to use one that is elsewhere. */
export function WalletList({ connect, hasMore }: { connect: (walletId: string) => Promise<boolean>; hasMore: boolean }) {
  const wallets = useWallet((wallet) => wallet.wallets)
  const isHandheld = isPhone()
  const hasNone = wallets.length === 0
  return (
    <div className="flex flex-col gap-2">
      {wallets.map(({ id, name, icon }) => (
        <button key={id} type="button" className={rowClass} onClick={() => void connect(id)}>
          <WalletIcon icon={icon} />
          <span translate="no" className="min-w-0 flex-1 truncate">
            {name}
          </span>
          <ChevronRight size={18} aria-hidden className="text-ink-8" />
        </button>
      ))}
      {hasNone && isHandheld && <WalletApps />}
      {hasNone && !isHandheld && (
        <p className="mb-1 text-ink-10">
          {t(
            'No wallet was found in this browser. Install an extension such as MetaMask, then reload this page. Or continue on the device with your wallet:',
          )}
        </p>
      )}
      {hasMore && (
        <button type="button" className={rowClass} onClick={() => void connect(MORE_WALLETS)}>
          <Wallet size={24} aria-hidden className="text-ink-9" />
          <span className="flex-1">
            <span className="block">{t('More wallets')}</span>
            <span className="block text-14 font-normal text-ink-9">{t('Via WalletConnect')}</span>
          </span>
          <ChevronRight size={18} aria-hidden className="text-ink-8" />
        </button>
      )}
      {isHandheld && !hasNone && (
        <Fold icon={<Smartphone size={20} aria-hidden />} title={t('Another wallet app')}>
          <WalletApps />
        </Fold>
      )}
      <Fold icon={<QrCode size={20} aria-hidden />} title={t('On another device')} isOpen={hasNone && !isHandheld}>
        <p className="mb-3 text-14 text-ink-10">
          {t('Scan this with your phone, or open the address in your wallet’s browser. Log in there and connect.')}
        </p>
        <Suspense fallback={<div className="mx-auto size-44" />}>
          <PageQrCode href={pageToOpen().href} />
        </Suspense>
        <PageAddress />
      </Fold>
    </div>
  )
}

interface FoldProps {
  icon: ReactNode
  title: string
  isOpen?: boolean
  children: ReactNode
}

/** A collapsed section for options that most users do not need. */
function Fold({ icon, title, isOpen = false, children }: FoldProps) {
  const [isUnfolded, setUnfolded] = useState(isOpen)
  return (
    <div className="rounded-input border border-ink-5">
      <button
        type="button"
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
        className="flex min-h-12 w-full items-center gap-3 rounded-input px-4 text-left text-ink-10 transition-colors hover:bg-ink-2"
      >
        {icon}
        <span className="flex-1">{title}</span>
        <ChevronDown size={18} aria-hidden className={isUnfolded ? 'rotate-180 text-ink-8' : 'text-ink-8'} />
      </button>
      {isUnfolded && <div className="flex flex-col gap-2 px-4 pt-1 pb-4">{children}</div>}
    </div>
  )
}
