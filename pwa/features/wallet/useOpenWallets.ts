import { useQuery } from '@tanstack/react-query'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { toast } from '#pwa/ui/toast.ts'
import { markPressBusy } from '#pwa/ui/markPressBusy.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import { isPhone } from '#pwa/wallet/walletLinks.ts'
import { openWalletSheet, useWallet } from '#pwa/wallet/walletStore.ts'

/** Extensions announce themselves at once, but for a slow machine. */
const ANNOUNCEMENT_TIME = 0.6 * SECOND

/** Opens the wallet's sheet. On a desk without any wallet a toast says what is missing. */
export function useOpenWallets(): () => void {
  const { data: config } = useQuery(configQuery)
  return () => void open()

  async function open() {
    if (!config) return
    const loading = loadWalletAccess(config)
    loading.catch(() => undefined)
    const unmark = markPressBusy()
    try {
      // The sheet is about the wallet of the last visit, or about the ways to connect one. Looking for it has a time limit.
      await whenWallet(({ isRestoring }) => !isRestoring)
      // On a phone wallets are apps: the sheet lists them, and a provider that comes late joins in.
      if (isPhone() || useWallet.getState().hasProvider || useWallet.getState().address) {
        openWalletSheet()
        await loading
        return
      }
      await loading
      const isThere = await whenWallet(({ hasProvider }) => hasProvider, ANNOUNCEMENT_TIME)
      // With the other ways: a wallet elsewhere, or one that comes late after all.
      openWalletSheet()
      if (isThere || config.walletConnectProjectId) return
      toast({
        title: 'MetaMask 필요',
        description: t('MetaMask is required: install this browser wallet, then load the page again.'),
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

/** Answers once this is so of the wallet, or after the time limit; without one it waits as long as it takes. Answers whether it is so. */
function whenWallet(isSo: (wallet: ReturnType<typeof useWallet.getState>) => boolean, timeLimit?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer)
      stop()
      resolve(isSo(useWallet.getState()))
    }
    const stop = useWallet.subscribe((wallet) => isSo(wallet) && settle())
    const timer = timeLimit === undefined ? undefined : setTimeout(settle, timeLimit)
    if (isSo(useWallet.getState())) settle()
  })
}
