import type { QueryClient } from '@tanstack/react-query'
import { isUnauthorized } from '#shared/contract/client.ts'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { shorten } from '#shared/address.ts'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { WalletAccess } from './createWalletAccess.ts'
import { loadWalletAccess } from './loadWalletAccess.ts'
import { storeManualDisconnect, wasDisconnectedManually } from './manualDisconnect.ts'
import { removeWalletOnServer, registerWallet } from './registerWallet.ts'
import { isAlreadyPending, isRejection } from './walletErrors.ts'
import { storeWalletOwner } from './walletOwner.ts'
import { closeWalletSheet, MORE_WALLETS, useWallet } from './walletStore.ts'
import { WalletTimeoutError, withTimeout } from './withTimeout.ts'

interface WalletContext {
  config: PublicConfig
  queryClient: QueryClient
}

/** Timeout for the user to answer the wallet's prompt; a later answer still counts. */
const CONNECT_TIMEOUT = 90 * SECOND
/** Timeout for a wallet to report an earlier connection. */
const RESTORE_TIMEOUT = 5 * SECOND

/** Connects the chosen wallet (`MORE_WALLETS`: one from the modal) and registers its address if the user is logged in. */
export async function connectWallet({ config, queryClient }: WalletContext, walletId: string): Promise<boolean> {
  // The modal of other wallets is not usable behind our own dialog.
  useWallet.setState({ isConnecting: true, ...(walletId === MORE_WALLETS && { isSheetOpen: false }) })
  try {
    const access = await loadWalletAccess(config)
    const answer = walletId === MORE_WALLETS ? access.openMoreWallets!() : access.connect(walletId)
    // An approval after the timeout still connects, because it was the user's choice.
    const connected = answer.then((address) => finishConnecting({ access, address, config, queryClient }))
    connected.catch(() => undefined)
    await withTimeout(connected, CONNECT_TIMEOUT)
    return true
  } catch (error) {
    showConnectFailure(error)
    if (!useWallet.getState().isSheetOpen) closeWalletSheet()
    return false
  } finally {
    useWallet.setState({ isConnecting: false })
  }
}

/** Stops waiting for the wallet. A late answer still counts. */
export const stopWaiting = (): void => useWallet.setState({ isConnecting: false })

/** Restores an earlier connection without a prompt, unless the user has disconnected by hand. */
export async function restoreWallet({ config, queryClient }: WalletContext): Promise<void> {
  if (wasDisconnectedManually() || useWallet.getState().address) return
  useWallet.setState({ isRestoring: true })
  try {
    const access = await loadWalletAccess(config)
    const restored = access.restore().then((address) => {
      if (!address || wasDisconnectedManually() || useWallet.getState().address) return
      followAccounts(access, { config, queryClient })
      useWallet.setState({ address })
    })
    restored.catch(() => undefined)
    await withTimeout(restored, RESTORE_TIMEOUT)
  } catch (error) {
    console.info('No earlier wallet connection', error)
  } finally {
    useWallet.setState({ isRestoring: false })
  }
}

/**
 * Disconnects the wallet: removes the account's address on the server, the flag and the local address. The server first: if it
 * refuses or does not answer, nothing changes and the user can retry.
 */
export async function disconnectWallet({ config, queryClient }: WalletContext): Promise<void> {
  try {
    await removeWalletOnServer(queryClient)
    await disconnectLocally(config)
    toast({ title: '지갑 연결 해제', description: t('Wallet disconnected') })
  } catch (error) {
    redirectIfUnauthorized(error)
    if (isUnauthorized(error)) return disconnectLocally(config)
    toast({
      title: '지갑 연결 해제 실패',
      description: `${t('Disconnecting failed')}: ${errorText(error, t('Please try again.'))}`,
      destructive: true,
    })
  }
}

/** Removes the wallet from this browser only; the server is not called. */
export async function disconnectLocally(config: PublicConfig): Promise<void> {
  storeManualDisconnect(true)
  storeWalletOwner(null)
  useWallet.setState({ address: null, isConnecting: false })
  try {
    await (await loadWalletAccess(config)).disconnect()
  } catch (error) {
    console.info('The wallet did not disconnect', error)
  }
}

interface ConnectionResult extends WalletContext {
  access: WalletAccess
  address: `0x${string}`
}

async function finishConnecting({ access, address, config, queryClient }: ConnectionResult): Promise<void> {
  storeManualDisconnect(false)
  storeWalletOwner(null)
  followAccounts(access, { config, queryClient })
  const { sheetPurpose } = useWallet.getState()
  useWallet.setState({ address, isConnecting: false })
  toast(
    sheetPurpose.for === 'payment'
      ? { title: t('Wallet Connected'), description: shorten(address) }
      : { title: '지갑 연결 성공', description: t('Wallet connected: {address}', { address: shorten(address) }) },
  )
  // The list of wallets stays open with a skip button while the wallet asks for its signature.
  void registerWallet({ config, queryClient, address, isQuiet: true }).then((isRegistered) => {
    // Another account of the wallet may be asked by now.
    if (useWallet.getState().isProving) return
    const { onConnected } = useWallet.getState().sheetPurpose
    closeWalletSheet()
    if (isRegistered) onConnected?.()
  })
}

function followAccounts(access: WalletAccess, context: WalletContext): void {
  access.onAccounts(([address]) => {
    if (wasDisconnectedManually() || address === useWallet.getState().address) return
    if (address) return void finishConnecting({ access, address, ...context })
    if (!useWallet.getState().address) return
    useWallet.setState({ address: null })
    storeWalletOwner(null)
    removeWalletOnServer(context.queryClient).catch((error) => console.info('The address was not removed', error))
  })
}

function showConnectFailure(error: unknown): void {
  if (isRejection(error)) return
  if (isAlreadyPending(error)) {
    return void toast({
      title: t('Wallet Request Waiting'),
      description: t('There is a pending connection request. Open your wallet and respond to it.'),
      destructive: true,
    })
  }
  const description =
    error instanceof WalletTimeoutError
      ? t('Your wallet has not responded. Open it, then connect again.')
      : messageOf(error) || t('Failed to connect the wallet.')
  toast({ title: '지갑 연결 실패', description, destructive: true })
}

/** The first line only: libraries append versions and links. */
const messageOf = (error: unknown): string | undefined => (error instanceof Error ? error.message.split('\n')[0] : undefined)
