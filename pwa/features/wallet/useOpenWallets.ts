import { useQuery } from '@tanstack/react-query'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { toast } from '#pwa/ui/toast.ts'
import { markPressBusy } from '#pwa/ui/markPressBusy.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { isPhone } from '#pwa/wallet/walletLinks.ts'
import { openWalletSheet, useWallet, type WalletPurpose } from '#pwa/wallet/walletStore.ts'

/** How long to wait for extensions to announce themselves on a slow machine. */
const ANNOUNCEMENT_TIMEOUT = 0.6 * SECOND

/** Opens the wallet sheet. On desktop without a wallet, a toast says what to install. */
export function useOpenWallets(purpose?: WalletPurpose): () => void {
  const { data: config } = useQuery(configQuery)
  return () => void open()

  async function open() {
    if (!config) return
    const loading = loadWalletAccess(config)
    loading.catch(() => undefined)
    const unmark = markPressBusy()
    try {
      // The sheet shows the restored wallet or the options to connect one, so this waits for the restoration, which times out.
      await whenWallet(({ isRestoring }) => !isRestoring)
      if (useWallet.getState().address && purpose?.onConnected) return purpose.onConnected()
      // On a phone wallets are apps: the sheet links to them and adds providers that are injected late.
      if (isPhone() || useWallet.getState().hasProvider || useWallet.getState().address) {
        openWalletSheet(purpose)
        await loading
        return
      }
      await loading
      const isFound = await whenWallet(({ hasProvider }) => hasProvider, ANNOUNCEMENT_TIMEOUT)
      // Shows the other options; a wallet may still be announced late.
      openWalletSheet(purpose)
      if (isFound || config.walletConnectProjectId) return
      toast({
        title: 'MetaMask 필요',
        description: t('MetaMask is required. Install this browser wallet, then reload the page.'),
        destructive: true,
      })
    } catch {
      toast({
        title: '지갑 연결 실패',
        description: t('The wallet part of the page did not load. Please try again.'),
        destructive: true,
      })
    } finally {
      unmark()
    }
  }
}

/** Resolves with true once the condition holds, or with false after the time limit, if there is one. */
function whenWallet(condition: (wallet: ReturnType<typeof useWallet.getState>) => boolean, timeLimit?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      stop()
      resolve(condition(useWallet.getState()))
    }
    const stop = useWallet.subscribe((wallet) => condition(wallet) && settle())
    const timer = timeLimit === undefined ? undefined : setTimeout(settle, timeLimit)
    if (condition(useWallet.getState())) settle()
  })
}
