import { ArrowUpRight } from '#pwa/ui/icons.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { toast } from '#pwa/ui/toast.ts'
import { pageToOpen, walletLinks, walletsOpenedByHand } from '#pwa/wallet/walletLinks.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'

export const rowClass =
  'flex min-h-14 w-full items-center gap-3 rounded-input border border-ink-5 px-4 text-left font-strong transition-colors hover:border-ink-7 hover:bg-ink-2'

/** On a phone, wallets are apps with their own browsers: these links open this page there. */
export function WalletApps() {
  const page = pageToOpen()
  const here = useWallet((wallet) => wallet.wallets)
  return (
    <>
      <p className="mb-1 text-14 text-ink-10">
        {t('On a phone, your wallet is an app. Open this page in its browser, log in there and connect.')}
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
                  'Continue in {name}’s browser. Nothing happens? The app isn’t installed. Open this address in a wallet you have.',
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
        {t('Using another wallet? Copy this page’s address and open it in the wallet’s browser:')}
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

export function PageAddress() {
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
