import { Plus } from '#pwa/ui/icons.ts'
import { useEffect, useId, useRef } from 'react'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { useWalletSetup } from './useWalletSetup.ts'

interface WalletGuideProps {
  chain: PublicConfig['rewardChain']
  provider: Eip1193Provider | null
  email: string
  isOpen: boolean
  /** The user was told to set up the wallet. */
  isNeeded: boolean
  onOpenChange: (isOpen: boolean) => void
}

/** The values for adding XCR to a wallet by hand, and buttons that add it. */
export function WalletGuide({ chain, provider, email, isOpen, isNeeded, onOpenChange }: WalletGuideProps) {
  const id = useId()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isNeeded) section.current?.scrollIntoView()
  }, [isNeeded])
  const setup = useWalletSetup({ chain, provider, email })
  const values = [
    [t('Network name'), chain.name],
    [t('Chain id'), String(chain.chainId)],
    [t('RPC address'), chain.rpcUrls[0] ?? ''],
    [t('Currency symbol'), chain.currencySymbol],
    [t('Token address'), chain.tokenAddress],
    [t('Token symbol'), chain.tokenSymbol],
    [t('Token decimals'), String(chain.tokenDecimals)],
  ] as const

  return (
    <section ref={section} aria-labelledby={`${id}-title`} className="rounded-card border border-ink-5">
      <h3 id={`${id}-title`}>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={`${id}-values`}
          onClick={() => onOpenChange(!isOpen)}
          className="group flex min-h-12 w-full items-center justify-between gap-4 px-4 text-left text-14 font-strong text-ink-12 transition-colors hover:text-accent"
        >
          {t('Wallet setup guide')}
          <Plus
            size={18}
            aria-hidden
            className="shrink-0 text-ink-9 transition-transform duration-200 group-aria-expanded:rotate-45"
          />
        </button>
      </h3>
      <div id={`${id}-values`} hidden={!isOpen}>
        <p className="px-4 pb-3 text-14 text-ink-10">
          {t('Add the network and the token to see your XCR in the wallet. Sending XCR needs at least 1 {symbol} for fees.', {
            symbol: chain.currencySymbol,
          })}
        </p>
        <dl className="divide-y divide-ink-5 border-y border-ink-5">
          {values.map(([name, value]) => (
            <div key={name} className="flex min-h-12 items-center gap-3 pr-1 pl-4 text-14">
              <dt className="w-30 shrink-0 text-ink-9">{name}</dt>
              <dd className="flex min-w-0 flex-1 items-center justify-between gap-1">
                <span translate="no" className="exact min-w-0 py-1.5">
                  {value}
                </span>
                <CopyButton value={value} what={name.toLowerCase()} />
              </dd>
            </div>
          ))}
        </dl>
        <div className="grid grid-cols-2 gap-2 p-3">
          <Button
            variant="secondary"
            isPending={setup.running === 'network'}
            disabled={setup.running !== null}
            onClick={() => void setup.addNetwork()}
          >
            {t('Add Network')}
          </Button>
          <Button
            variant="secondary"
            isPending={setup.running === 'token'}
            disabled={setup.running !== null}
            onClick={() => void setup.addToken()}
          >
            {t('Add Token')}
          </Button>
        </div>
      </div>
    </section>
  )
}
