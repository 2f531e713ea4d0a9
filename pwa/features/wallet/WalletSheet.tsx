import { ArrowUpRight, ChevronDown, ChevronRight, ExternalLink, QrCode, Smartphone, Wallet } from '#pwa/ui/icons.ts'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { SECOND } from '#shared/dates.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { DemoChainsHint } from '#pwa/ui/DemoChainsHint.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Spinner } from '#pwa/ui/Spinner.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { stopWaiting } from '#pwa/wallet/connectWallet.ts'
import { skipProof } from '#pwa/wallet/registerWallet.ts'
import { isPhone, pageToOpen, walletLinks, walletsOpenedByHand } from '#pwa/wallet/walletLinks.ts'
import { MORE_WALLETS, useWallet } from '#pwa/wallet/walletStore.ts'
import { useWalletActions } from './useWalletActions.ts'

const PageQrCode = lazy(async () => ({ default: (await import('./PageQrCode.tsx')).PageQrCode }))

/** After this time the page hints that the wallet's window may be hidden. */
const HIDDEN_WINDOW_HINT_DELAY = 8 * SECOND

/** Lists this browser's wallets, or shows the connected one. */
export function WalletSheet() {
  const { address, isConnecting, isProving, wallets } = useWallet()
  const actions = useWalletActions()
  const isAsked = useRef(false)
  useEffect(() => {
    // A single wallet is asked immediately, once. After a refusal it is listed with the other options.
    const [only, another] = wallets
    if (!actions || !only || isAsked.current) return
    isAsked.current = true
    if (!another && !address && !isConnecting) void actions.connect(only.id)
  }, [actions, address, isConnecting, wallets])
  const close = () => useWallet.setState({ isSheetOpen: false })
  if (!actions) return null

  if (address && !isProving) {
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && close()}
        title={t('Your wallet')}
        actions={
          <Button
            variant="secondary"
            onClick={() => {
              void actions.disconnect()
              close()
            }}
          >
            {t('Disconnect')}
          </Button>
        }
      >
        <ConnectedWallet address={address} explorerUrl={actions.config.paymentChain.explorerUrl} onRegister={actions.register} />
      </Dialog>
    )
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (open) return
        if (isConnecting) stopWaiting()
        close()
      }}
      title={t(isProving ? 'Confirm your wallet' : 'Connect Wallet')}
      description={t(
        isProving ? 'Sign in your wallet that it is yours. This costs nothing.' : "You'll pay with USDT on BNB Smart Chain.",
      )}
    >
      {isProving && (
        <Waiting text={t('Waiting for your signature.')}>
          <Button variant="secondary" onClick={skipProof}>
            {t('Continue without signing')}
          </Button>
        </Waiting>
      )}
      {isConnecting && !isProving && (
        <Waiting text={t('Confirm the connection in your wallet.')}>
          <Button variant="secondary" onClick={stopWaiting}>
            {t('Choose again')}
          </Button>
        </Waiting>
      )}
      {!isConnecting && !isProving && (
        <WalletList connect={actions.connect} hasMore={Boolean(actions.config.walletConnectProjectId)} />
      )}
    </Dialog>
  )
}

function ConnectedWallet(props: { address: `0x${string}`; explorerUrl: string; onRegister: () => Promise<boolean> }) {
  const { address, explorerUrl, onRegister } = props
  const user = useAuthUser()
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-1 pr-1 pl-4">
        <span translate="no" className="exact min-w-0 flex-1 py-2 text-14">
          {address}
        </span>
        <CopyButton value={address} what={t('wallet address')} />
        <a
          href={`${explorerUrl}/address/${address}`}
          target="_blank"
          rel="noreferrer"
          aria-label={t('Wallet in the block explorer')}
          className="grid size-11 shrink-0 place-items-center rounded-input text-ink-9 transition-colors hover:bg-ink-3 hover:text-ink-12"
        >
          <ExternalLink size={18} aria-hidden />
        </a>
      </div>
      <DemoChainsHint />
      {user && user.walletAddress === address && (
        <p className="text-14 text-ink-10">{t('Registered for your account. Nodes are paid from this wallet only.')}</p>
      )}
      {user && user.walletAddress !== address && (
        <Notice
          tone="warning"
          title={t('Not the wallet of your account')}
          action={
            <Button variant="secondary" translate="no" onClick={() => void onRegister()}>
              {t('Register this wallet')}
            </Button>
          }
        >
          {user.walletAddress ? (
            <T
              text="Your account is registered with {address}."
              address={
                <span translate="no" className="exact">
                  {user.walletAddress}
                </span>
              }
            />
          ) : (
            t('Your account has no wallet yet.')
          )}
        </Notice>
      )}
      {user === null && (
        <p className="text-14 text-ink-10">{t('Connected in this browser. It is saved to your account when you log in.')}</p>
      )}
    </div>
  )
}

function Waiting({ text, children }: { text: string; children: ReactNode }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), HIDDEN_WINDOW_HINT_DELAY)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className="flex flex-col items-center gap-3 py-6 text-center">
      <Spinner size={28} className="text-accent" />
      <p>{text}</p>
      {isLong && (
        <>
          <p className="text-14 text-ink-9">{t('Nothing to see? Open your wallet yourself: the request is waiting there.')}</p>
          {children}
        </>
      )}
    </div>
  )
}

const rowClass =
  'flex min-h-14 w-full items-center gap-3 rounded-input border border-ink-5 px-4 text-left font-strong transition-colors hover:border-ink-7 hover:bg-ink-2'

/** A wallet may announce an icon that is not a valid image. */
function WalletIcon({ icon }: { icon: string | undefined }) {
  const [isBroken, setBroken] = useState(false)
  if (!icon || isBroken) return <Wallet size={24} aria-hidden className="mx-1 text-ink-9" />
  return <img src={icon} alt="" className="size-8 rounded-small" onError={() => setBroken(true)} />
}

function WalletList({ connect, hasMore }: { connect: (walletId: string) => Promise<boolean>; hasMore: boolean }) {
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
            'No wallet was found in this browser. Install one as an extension, MetaMask for instance, then load this page again. Or go on where your wallet is:',
          )}
        </p>
      )}
      {hasMore && (
        <button type="button" className={rowClass} onClick={() => void connect(MORE_WALLETS)}>
          <Wallet size={24} aria-hidden className="text-ink-9" />
          <span className="flex-1">
            <span className="block">{t('More wallets')}</span>
            <span className="block text-14 font-normal text-ink-9">{t('By WalletConnect, which is fetched now')}</span>
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
          {t('Scan this with your phone, or open the address in the browser of your wallet. Log in there and connect.')}
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

/** On a phone, wallets are apps with their own browsers: these links open this page there. */
function WalletApps() {
  const page = pageToOpen()
  const here = useWallet((wallet) => wallet.wallets)
  return (
    <>
      <p className="mb-1 text-14 text-ink-10">
        {t('On a phone your wallet is an app. Open this page in its browser, log in there, and connect.')}
      </p>
      {walletLinks
        .filter(({ name }) => here.every((wallet) => !name.startsWith(wallet.name)))
        .map(({ name, hrefOf }) => (
          // A plain link: only a direct tap may open an app.
          <a
            key={name}
            href={hrefOf(page)}
            className={rowClass}
            onClick={() =>
              toast({
                title: t('Opening {name}', { name }),
                description: t(
                  'Continue in the browser of {name}. Nothing happens? It is not installed: open this address in a wallet you have.',
                  { name },
                ),
              })
            }
          >
            <span translate="no" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <ArrowUpRight size={18} aria-hidden className="text-ink-8" />
          </a>
        ))}
      <p className="mt-1 text-14 text-ink-10">
        {t('Another wallet? Copy the address of this page and open it in the wallet’s own browser:')}
      </p>
      <PageAddress />
      <ul className="flex flex-col gap-1 text-14 text-ink-9">
        {walletsOpenedByHand.map(({ name, way }) => (
          <li key={name}>
            <span translate="no" className="text-ink-11">
              {name}
            </span>
            : {translate(way)}
          </li>
        ))}
      </ul>
    </>
  )
}

function PageAddress() {
  const { href } = pageToOpen()
  return (
    <div className="flex items-center gap-1 rounded-input border border-ink-5 bg-ink-2 py-1 pr-1 pl-4">
      <span translate="no" className="exact min-w-0 flex-1 truncate text-14 text-ink-10">
        {href}
      </span>
      <CopyButton value={href} what={t('page address')} />
    </div>
  )
}
