import { type QueryClient, QueryObserver, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, isUnauthorized, mayBeDone } from '#shared/contract/client.ts'
import { createReservation, type Purchase, releaseReservation, type Reservation } from '#shared/contract/purchases.ts'
import { costOf } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { errorText, failureTitle, isShownHere } from '#pwa/lib/errorText.ts'
import { authUserQuery, configQuery, nodeStatsQuery, otpStatusQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { applyReservation } from './applyReservation.ts'
import { readAskedAt } from './askedTransfer.ts'
import { payReservation } from './payReservation.ts'
import { leaveLine } from './placeInLine.ts'
import type { Order } from './purchaseFlow.ts'
import { dispatch, usePurchaseFlowStore } from './purchaseFlowStore.ts'
import {
  showInsufficientNodes,
  showInsufficientUsdt,
  showOtherWallet,
  showOtpRequired,
  showPurchaseError,
  showWalletRequired,
} from './purchaseRefusals.ts'
import { readPaymentWallet } from './readPaymentWallet.ts'

/** The specification's purchase flow, step by step, with the toast of each refusal. */
export function usePurchaseFlow() {
  const queryClient = useQueryClient()
  const user = useAuthUser()
  const { data: config } = useQuery(configQuery)
  const { remaining, nodePrice } = useSale()
  const { flow, isReleasing } = usePurchaseFlowStore()

  /** The press on Purchase: checks the wallet, then the authenticator, then asks for its code. */
  async function purchase(quantity: number): Promise<void> {
    if (quantity > remaining) return showInsufficientNodes()
    const { address } = useWallet.getState()
    if (!address) return showWalletRequired()
    const registered = user && (await readRegistered(address))
    // Another account has logged in meanwhile, or another wallet was connected.
    if (queryClient.getQueryData(authUserQuery.queryKey)?.id !== user?.id || useWallet.getState().address !== address) return
    if (user && registered !== address) return showOtherWallet(registered ?? null)
    const cost = costOf(nodePrice, quantity)
    if (config && (await readPaymentWallet({ owner: address, amount: cost, config })).at === 'short')
      return showInsufficientUsdt(cost)
    try {
      const { otpEnabled } = await queryClient.fetchQuery({ ...otpStatusQuery, staleTime: 0 })
      if (!otpEnabled) showOtpRequired()
      dispatch({ type: 'requested', quantity, hasOtp: otpEnabled })
    } catch (error) {
      showPurchaseError(error)
    }
  }

  /** The account's wallet, once the connected one is registered if that has begun or is about to. */
  async function readRegistered(address: `0x${string}`): Promise<string | null | undefined> {
    const read = () => queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress
    if (read() === address || !config) return read()
    const { registerFirstWallet } = await import('#pwa/wallet/registerWallet.ts')
    await registerFirstWallet({ config, queryClient, address })
    return read()
  }

  /** The code was accepted: reserve the nodes. */
  async function reserve(): Promise<void> {
    const next = dispatch({ type: 'otpVerified' })
    if (next.at !== 'reserving') return
    const { listed, stop } = whenListed(next.quantity, queryClient)
    try {
      const reservation = await Promise.race([reserveWithOneKey(next.quantity), listed])
      // Another account has logged in meanwhile.
      if (queryClient.getQueryData(authUserQuery.queryKey)?.id !== user?.id) return
      applyReservation(queryClient, reservation)
      void queryClient.invalidateQueries({ queryKey: nodeStatsQuery.queryKey })
      dispatchReserved(reservation)
    } catch (error) {
      handleRefusal(error, next.quantity)
    } finally {
      stop()
      leaveLine()
    }
  }

  function handleRefusal(error: unknown, quantity: number): void {
    const code = error instanceof ApiError ? error.code : undefined
    if (code === 'otp_required') {
      toast({ title: t('Purchase Failed'), description: errorText(error, t('Node purchase failed.')), destructive: true })
      dispatch({ type: 'otpRequired' })
      return
    }
    dispatch({ type: 'refused' })
    if (code === 'otp_not_enabled') {
      showOtpRequired()
      dispatch({ type: 'requested', quantity, hasOtp: false })
    } else if (code === 'wallet_required') showWalletRequired()
    else if (code === 'insufficient_usdt') {
      showInsufficientUsdt(
        costOf(nodePrice, quantity),
        hasOpenReservations(error) ? errorText(error, t('Node purchase failed.')) : undefined,
      )
    } else if (code === 'insufficient_supply') {
      showInsufficientNodes()
      void queryClient.invalidateQueries({ queryKey: nodeStatsQuery.queryKey })
    } else {
      if (mayBeDone(error)) void queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey })
      showPurchaseError(error)
    }
  }

  /**
   * The tap that pays. What is known at this instant counts: since the page was rendered, another tap may have paid or released the
   * nodes, the server may have ended the reservation, and another account may have logged in.
   */
  function pay({ id }: Order, provider: Eip1193Provider): void {
    const { flow: now, isReleasing } = usePurchaseFlowStore.getState()
    if (isReleasing || now.at !== 'payment' || now.running || now.order.id !== id || !config || !user) return
    const reservation = queryClient.getQueryData(reservationQuery.queryKey)
    if (reservation !== undefined && reservation?.id !== id) return
    if (queryClient.getQueryData(authUserQuery.queryKey)?.id !== user.id) return
    void payReservation(now.order, provider, { config, queryClient, userId: user.id })
  }

  /** Continues an open reservation, unless it is being released or replaced. */
  function resume(reservation: Reservation): void {
    const { flow: now, isReleasing } = usePurchaseFlowStore.getState()
    if (!isReleasing && now.at !== 'reserving') dispatch({ type: 'reserved', reservation, at: null })
  }

  return {
    flow,
    isReleasing,
    purchase,
    reserve,
    pay,
    resume,
    track: (tracked: Purchase) => dispatch({ type: 'trackingRequested', purchase: tracked }),
    release: (orderId: string) => release(orderId, queryClient),
    otpEnabled: () => dispatch({ type: 'otpEnabled' }),
    abandonOtp: (stage: 'otpSetup' | 'otpCheck') => dispatch({ type: 'otpAbandoned', stage }),
    open: () => dispatch({ type: 'opened' }),
    close: () => dispatch({ type: 'closed' }),
  }
}

/** Whether the wallet lacks USDT only because of its open reservations: then the server's text names the missing amount. */
const hasOpenReservations = (error: unknown): boolean => error instanceof ApiError && (error.details['held'] ?? '0') !== '0'

const dispatchReserved = (reservation: Reservation) => dispatch({ type: 'reserved', reservation, at: new Date() })

/** One idempotency key per intention: after a lost answer the retry does not create a second reservation. */
async function reserveWithOneKey(requestedQuantity: number): Promise<Reservation> {
  const idempotencyKey = crypto.randomUUID()
  const send = () => api(createReservation, { body: { requestedQuantity } }, { idempotencyKey })
  try {
    return await send()
  } catch (error) {
    if (error instanceof TypeError) return send()
    throw error
  }
}

/**
 * Resolves with the new reservation once the server lists it: on a connection that has died, the answer to its request would be waited for
 * until the browser gives up, while the reservation runs out.
 */
function whenListed(quantity: number, queryClient: QueryClient) {
  const before = queryClient.getQueryData(reservationQuery.queryKey)?.id
  let stop = () => {}
  const listed = new Promise<Reservation>((resolve) => {
    stop = new QueryObserver(queryClient, { ...reservationQuery, enabled: false }).subscribe(({ data: found }) => {
      if (found && found.id !== before && found.requestedQuantity === quantity) resolve(found)
    })
  })
  return { listed, stop }
}

async function release(orderId: string, queryClient: QueryClient): Promise<void> {
  usePurchaseFlowStore.setState({ isReleasing: true })
  try {
    await api(releaseReservation, {})
    dispatch({ type: 'released' })
    applyReservation(queryClient, null)
    void queryClient.invalidateQueries({ queryKey: nodeStatsQuery.queryKey })
    toast({
      title: t('Nodes Released'),
      description: t(
        readAskedAt(orderId)
          ? "If your wallet sent the payment anyway, don't buy again. We'll find it."
          : 'Nothing was paid, and your nodes are no longer reserved.',
      ),
    })
  } catch (error) {
    redirectIfUnauthorized(error)
    if (isUnauthorized(error)) return
    // If the answer was lost, the nodes may be released.
    void queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey })
    toast({
      title: failureTitle(error, t('Not Released')),
      description: errorText(error, t('Please try again.'), isShownHere),
      destructive: true,
    })
  } finally {
    usePurchaseFlowStore.setState({ isReleasing: false })
  }
}
