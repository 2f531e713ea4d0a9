import { ExternalLink } from '#pwa/ui/icons.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { DemoChainsHint } from '#pwa/ui/DemoChainsHint.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'

/** The address of the connected wallet, and whether it is the account's registered one. */
export function ConnectedWallet(props: { address: `0x${string}`; explorerUrl: string; onRegister: () => Promise<boolean> }) {
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
        <p className="text-14 text-ink-10">{t('Registered to your account. You can pay for nodes only from this wallet.')}</p>
      )}
      {user && user.walletAddress !== address && (
        <Notice
          tone="warning"
          title={t('Not your registered wallet')}
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
        <p className="text-14 text-ink-10">{t('Connected in this browser. It will be saved to your account when you log in.')}</p>
      )}
    </div>
  )
}
