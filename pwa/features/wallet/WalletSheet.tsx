import { type ReactNode, useEffect, useRef } from 'react'
import { shorten } from '#shared/address.ts'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Spinner } from '#pwa/ui/Spinner.tsx'
import { useIsLong } from '#pwa/ui/useIsLong.ts'
import { stopWaiting } from '#pwa/wallet/connectWallet.ts'
import { skipProof } from '#pwa/wallet/registerWallet.ts'
import { closeWalletSheet, useWallet } from '#pwa/wallet/walletStore.ts'
import { ConnectedWallet } from './ConnectedWallet.tsx'
import { useWalletActions } from './useWalletActions.ts'
import { WalletList } from './WalletList.tsx'

/** After this time the page hints that the wallet's window may be hidden. */
const HIDDEN_WINDOW_HINT_DELAY = 8 * SECOND

/** Lists this browser's wallets, or shows the connected one. */
export function WalletSheet() {
  const { address, isConnecting, isProving, wallets, sheetPurpose } = useWallet()
  const actions = useWalletActions()
  const isAsked = useRef(false)
  useEffect(() => {
    // A single wallet is asked immediately, once. After a refusal it is listed with the other options.
    const [only, another] = wallets
    if (!actions || !only || isAsked.current) return
    isAsked.current = true
    if (!another && !address && !isConnecting) void actions.connect(only.id)
  }, [actions, address, isConnecting, wallets])
  if (!actions) return null

  if (address && !isProving) {
    return (
      <Dialog
        open
        onOpenChange={(open) => !open && closeWalletSheet()}
        title={t('Your wallet')}
        actions={
          <Button
            variant="secondary"
            onClick={() => {
              void actions.disconnect()
              closeWalletSheet()
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
        closeWalletSheet()
      }}
      title={t(isProving ? 'Confirm your wallet' : 'Connect Wallet')}
      description={t(
        isProving
          ? 'Sign a message in your wallet to prove that it is yours. This costs nothing.'
          : sheetPurpose.for === 'withdrawal'
            ? 'Your own wallet. It signs every withdrawal, and XCR goes only to it.'
            : "You'll pay with USDT on BNB Smart Chain.",
      )}
    >
      <ReplacesNotice address={address} />
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

/** A wallet that is connected becomes the account's. Says so while the wallet is another one, or can still be chosen. */
function ReplacesNotice({ address }: { address: `0x${string}` | null }) {
  const registered = useAuthUser()?.walletAddress
  if (!registered || registered === address) return null
  return (
    <div className="mb-4">
      <Notice
        tone={address ? 'warning' : 'info'}
        title={t("Your account's wallet is {address}", { address: shorten(registered) })}
      >
        {t('Connecting another one replaces it. Withdrawals may then be on hold for 24 hours.')}
      </Notice>
    </div>
  )
}

function Waiting({ text, children }: { text: string; children: ReactNode }) {
  const isLong = useIsLong(true, HIDDEN_WINDOW_HINT_DELAY)
  return (
    <div role="status" className="flex flex-col items-center gap-3 py-6 text-center">
      <Spinner size={28} className="text-accent" />
      <p>{text}</p>
      {isLong && (
        <>
          <p className="text-14 text-ink-9">{t("Don't see anything? Open your wallet. The request is waiting there.")}</p>
          {children}
        </>
      )}
    </div>
  )
}
