import type { QueryClient } from '@tanstack/react-query'
import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import type { AuthUser } from '#shared/contract/identity.ts'
import { getConfig, type PublicConfig } from '#shared/contract/settings.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { shorten } from '#shared/address.ts'
import { MINUTE } from '#shared/dates.ts'
import { walletProofMessage } from '#shared/walletProofMessage.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { applyAnswer } from '#pwa/lib/applyAnswer.ts'
import { errorText, failureTitle, mayRepeat } from '#pwa/lib/errorText.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { toast } from '#pwa/ui/toast.ts'
import { loadWalletAccess } from './loadWalletAccess.ts'
import { signMessage } from './signMessage.ts'
import { storeWalletOwner, walletOwner } from './walletOwner.ts'
import { useWallet } from './walletStore.ts'
import { withTimeout } from './withTimeout.ts'

/** After this time the wallet is registered without its proof. */
const PROOF_TIMEOUT = 2 * MINUTE

interface Registration {
  config: PublicConfig
  queryClient: QueryClient
  address: `0x${string}`
  /** Shows no toast on success, because the caller does. */
  isQuiet?: boolean
}

/**
 * Registers the connected wallet as the account's address, with a signature as proof. Does nothing for a visitor.
 *
 * Without the signature the address is registered anyway: it then matches only payments of requests opened before them.
 */
export async function registerWallet(registration: Registration): Promise<boolean> {
  const user = registration.queryClient.getQueryData(authUserQuery.queryKey)
  if (!user) return false
  const registered = register(registration, user)
  lastAttempt = { key: attemptKey(user, registration.address), registered }
  return registered
}

async function register({ config, queryClient, address, isQuiet = false }: Registration, user: AuthUser): Promise<boolean> {
  try {
    const proof = await signProof({ config, address, email: user.email })
    // The user may have switched the wallet's account or the login while the wallet was asked.
    if (useWallet.getState().address !== address) return false
    if (queryClient.getQueryData(authUserQuery.queryKey)?.id !== user.id) return false
    const isProven = await save({ queryClient, userId: user.id, address, proof })
    if (isProven === undefined) return false
    storeWalletOwner(user.id)
    if (!isProven || !isQuiet) {
      toast({
        title: t('Wallet Address Registration Completed'),
        description: isProven
          ? shorten(address)
          : t(
              '{address} is saved without a signature. Connect again and sign to have payments recognized even without a purchase request.',
              { address: shorten(address) },
            ),
      })
    }
    return true
  } catch (error) {
    redirectIfUnauthorized(error)
    if (isUnauthorized(error)) return false
    toast({
      title: failureTitle(error, t('Wallet Address Registration Failed')),
      description: errorText(error, t('Please try again.'), mayRepeat),
      destructive: true,
    })
    return false
  }
}

let lastAttempt: { key: string; registered: Promise<boolean> } | undefined

const attemptKey = ({ id }: AuthUser, address: string): string => `${id} ${address}`

/**
 * Registers the wallet if the account has none yet, only once per pair of account and wallet. Waits for an attempt in progress. Not
 * again after it was removed on another device or in another tab.
 */
export async function registerFirstWallet(registration: Registration): Promise<void> {
  const user = registration.queryClient.getQueryData(authUserQuery.queryKey)
  if (!user) return
  if (lastAttempt?.key === attemptKey(user, registration.address)) await lastAttempt.registered
  else if (user.walletAddress === null && walletOwner() !== user.id) await registerWallet(registration)
}

/** Removes the account's wallet on the server. Does nothing for a visitor. */
export async function removeWalletOnServer(queryClient: QueryClient): Promise<void> {
  const user = queryClient.getQueryData(authUserQuery.queryKey)
  if (!user?.walletAddress) return
  applyAnswer(queryClient, authUserQuery, await api(updateWallet, { body: { walletAddress: null } }))
}

/** Counts requests for a signature: only the latest is awaited, because its wallet is the connected one. */
let latestProof = 0
/** The sheet was opened for the signature, and closes with it. */
let isSheetOfProof = false

let skip: () => void = () => undefined

/** Registers the address without waiting longer for the signature. */
export const skipProof = (): void => skip()

interface Proof {
  message: string
  signature: string
}

/** A message signed by the wallet; null if the user or the wallet refuses. Meanwhile the sheet says that it is awaited. */
async function signProof({
  config,
  address,
  email,
}: Pick<Registration, 'config' | 'address'> & { email: string }): Promise<Proof | null> {
  const number = ++latestProof
  const { isProving, isSheetOpen } = useWallet.getState()
  if (!isProving) isSheetOfProof = !isSheetOpen
  // The wallet may be in another app, where nothing shows on this device.
  useWallet.setState({ isProving: true, isSheetOpen: true })
  try {
    const provider = await (await loadWalletAccess(config)).provider()
    if (!provider) return null
    // Uses the server's current time: the device's clock may be wrong, and the page may have been open for days.
    const { serverTime } = await api(getConfig, {})
    const message = walletProofMessage({ host: location.host, email, address, timestamp: serverTime.toISOString() })
    const skipped = new Promise<null>((resolve) => {
      skip = () => resolve(null)
    })
    const signature = await withTimeout(Promise.race([signMessage(provider, { address, message }), skipped]), PROOF_TIMEOUT)
    return signature === null ? null : { message, signature }
  } catch (error) {
    console.info('The wallet gave no signature', error)
    return null
  } finally {
    if (number === latestProof) useWallet.setState({ isProving: false, ...(isSheetOfProof && { isSheetOpen: false }) })
  }
}

interface Saving extends Pick<Registration, 'queryClient' | 'address'> {
  userId: string
  proof: Proof | null
}

/** Whether the saved address is proven. Undefined if nothing was saved, because another account has logged in. */
async function save({ queryClient, userId, address, proof }: Saving): Promise<boolean | undefined> {
  try {
    const saved = await api(updateWallet, { body: { walletAddress: address, ...proof } })
    applyAnswer(queryClient, authUserQuery, saved)
    return saved.walletProven
  } catch (error) {
    const isProofRefused =
      error instanceof ApiError && (error.code === 'wallet_proof_invalid' || error.code === 'chain_unavailable')
    if (!proof || !isProofRefused) throw error
    // The proof may be refused because the session is another one's, of which this tab has not heard yet.
    const now = await queryClient.fetchQuery({ ...authUserQuery, staleTime: 0 })
    return now?.id === userId ? save({ queryClient, userId, address, proof: null }) : undefined
  }
}
