import type { QueryClient } from '@tanstack/react-query'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import type { ChainSwitch } from '#pwa/wallet/switchToChain.ts'
import { switchToPaymentChain } from '#pwa/wallet/switchToPaymentChain.ts'
import { sendToken } from '#pwa/wallet/usdtCalls.ts'
import { isAlreadyPending, isInsufficientFunds, isRejection } from '#pwa/wallet/walletErrors.ts'
import { openWalletSheet, useWallet } from '#pwa/wallet/walletStore.ts'
import { WalletTimeoutError, withTimeout } from '#pwa/wallet/withTimeout.ts'
import { forgetAsked, storeAsked } from './askedTransfer.ts'
import { forgetQuantity } from './chosenQuantity.ts'
import { storeReport, sendReports } from './paymentOutbox.ts'
import type { Order, PaymentStep } from './purchaseFlow.ts'
import { dispatch, usePurchaseFlowStore } from './purchaseFlowStore.ts'
import { readAccounts, type WalletReading } from './readPaymentWallet.ts'

interface TransferContext {
  config: PublicConfig
  queryClient: QueryClient
  userId: string
}

/** How long a wallet may take that prompts for an account. */
const ACCOUNT_TIMEOUT = 60 * SECOND

/** Counts transfer requests: an error of an abandoned one is not shown. */
let latestAttempt = 0

/**
 * Requests the payment of a reservation. Called directly by the tap, and the wallet is asked before any await, while the tap's
 * user activation is valid: account, network and balance were read while the button was shown (usePaymentWallet.ts).
 */
export async function payReservation(order: Order, provider: Eip1193Provider, context: TransferContext): Promise<void> {
  const { config, queryClient, userId } = context
  const { chainId, usdtAddress: token } = config.paymentChain
  const { wallet: from, depositAddress: to, amount } = order
  if (!from || !to) return
  const attempt = ++latestAttempt
  const asked = { orderId: order.id, userId, at: new Date() }
  storeAsked(asked)
  const answer = sendToken(provider, { chainId, token, from, to, amount })
  dispatch({ type: 'stepStarted', step: 'sent' })
  try {
    const hash = await answer
    // Stored before anything else: the money is on its way.
    const at = new Date()
    storeReport({
      idempotencyKey: crypto.randomUUID(),
      userId,
      requestedQuantity: order.quantity,
      purchaseAmountUsdt: amount,
      transactionHash: hash,
      sentAt: at,
    })
    forgetAsked(asked)
    dispatch({ type: 'sent', orderId: order.id, hash, at })
    forgetQuantity()
    toast({
      title: t('Transaction Submitted'),
      description: t('Your nodes are allocated once the chain has confirmed it.'),
    })
    await sendReports({ queryClient, userId })
  } catch (error) {
    console.info('The payment stopped', error)
    // After any other error the wallet may still show the request, or have sent the transfer.
    if (isRejection(error) || isInsufficientFunds(error)) forgetAsked(asked)
    // If the order was paid elsewhere, the page itself asked to reject the request.
    if (attempt === latestAttempt && usePurchaseFlowStore.getState().flow.at === 'payment') explainTransferError(error)
  }
}

/** Stops waiting for the wallet's answer. A late answer still counts. */
export function abandonTransfer(): void {
  latestAttempt++
  const text = t('Reject the earlier request if your wallet still shows it, so that you do not pay twice.')
  dispatch({ type: 'stepFailed', problem: { step: 'sent', text } })
}

/** The one request that a wallet that is not ready needs. Called directly by the tap. */
export async function prepareWallet(order: Order, reading: Exclude<WalletReading, { at: 'ready' }>, config: PublicConfig) {
  if (reading.at === 'missing') {
    // A provider exists if the wallet is only locked, or not connected since the page was loaded.
    if (!useWallet.getState().hasProvider)
      stop('network', t('MetaMask not found'), t('Please install MetaMask to continue with payment.'))
    openWalletSheet({ for: 'payment' })
  } else if (reading.at === 'locked' || reading.at === 'otherAccount') {
    await requestAccount(reading.provider, { owner: order.wallet!, isLocked: reading.at === 'locked' })
  } else if (reading.at === 'otherNetwork') await requestNetwork(reading.provider, config.paymentChain)
}

/** Says that the balance is too low or could not be read. */
export function showBalanceProblem({ amount }: Order, at: 'short' | 'unread'): void {
  if (at === 'unread') return stop('balance', t('Transaction Failed'), t('Transaction failed. Please try again.'))
  stop(
    'balance',
    t('Insufficient USDT Balance'),
    t('You need {amount} USDT to complete this purchase.', { amount: formatAmount(amount) }),
  )
}

async function requestAccount(
  provider: Eip1193Provider,
  { owner, isLocked }: { owner: string; isLocked: boolean },
): Promise<void> {
  // If another account is selected, the wallet must show its account picker; a locked wallet prompts by itself.
  const question = isLocked
    ? provider.request({ method: 'eth_requestAccounts' })
    : provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] })
  dispatch({ type: 'stepStarted', step: 'network' })
  try {
    await withTimeout(question, ACCOUNT_TIMEOUT)
    const accounts = readAccounts(await withTimeout(provider.request({ method: 'eth_accounts' }), ACCOUNT_TIMEOUT))
    if (accounts.includes(owner)) {
      toast({ title: t('Wallet Connected'), description: shorten(owner) })
      return void dispatch({ type: 'stepStopped', step: 'network' })
    }
  } catch (error) {
    console.info('The wallet did not connect', error)
    if (isAlreadyPending(error)) return stopBy('network', 'pending')
    if (isLocked) {
      const isSilent = error instanceof WalletTimeoutError
      return stop(
        'network',
        t('Connection Failed'),
        t(
          isSilent
            ? 'Your wallet has not responded. Open it, then continue.'
            : 'Failed to connect to MetaMask. Please try again.',
        ),
      )
    }
  }
  stop(
    'network',
    t('Registered Wallet Required'),
    t('Choose the account {address} in your wallet. Only its payment is recognized.', { address: shorten(owner) }),
  )
}

const switchProblems: Record<Exclude<ChainSwitch, 'ready'>, [title: Message, text: Message]> = {
  rejected: [msg('Network Addition Cancelled'), msg('Your wallet must be on BNB Smart Chain to pay.')],
  failed: [msg('Network Addition Failed'), msg('Switch to BNB Smart Chain in your wallet, then continue.')],
  pending: [msg('Wallet Request Waiting'), msg('Your wallet has a pending connection request. Respond to it, then continue.')],
  silent: [msg('No Response From Your Wallet'), msg('Switch to BNB Smart Chain in your wallet, then continue.')],
}

async function requestNetwork(provider: Eip1193Provider, chain: PublicConfig['paymentChain']): Promise<void> {
  const outcome = switchToPaymentChain(provider, chain)
  dispatch({ type: 'stepStarted', step: 'network' })
  const reached = await outcome
  if (reached !== 'ready') return stopBy('network', reached)
  dispatch({ type: 'stepStopped', step: 'network' })
}

/** Switches the network before there is a payment, so that its answer, which may be late, is no step of one. */
export async function switchNetwork(provider: Eip1193Provider, chain: PublicConfig['paymentChain']): Promise<void> {
  const reached = await switchToPaymentChain(provider, chain)
  if (reached === 'ready') return
  const [title, text] = switchProblems[reached]
  toast({ title: translate(title), description: translate(text), destructive: true })
}

function explainTransferError(error: unknown): void {
  if (isAlreadyPending(error)) {
    const text = t("Your wallet still shows an earlier request. Respond to it there. If that is the transfer, don't pay again.")
    return stop('sent', t('Wallet Request Waiting'), text)
  }
  const title = t('Transaction Failed')
  if (isRejection(error)) return stop('sent', title, t('Transaction was rejected by user.'))
  if (isInsufficientFunds(error)) {
    const advice = t(
      'The network fee is paid in BNB. Send a little BNB to this wallet, or the USDT that it lacks, then pay again.',
    )
    return stop('sent', title, t('Insufficient funds for transaction.'), advice)
  }
  // Some wallets report an error after they have sent the transfer.
  const advice = t("Look at your wallet's activity first. If it shows the transfer, don't pay again. We'll find it on the chain.")
  stop('sent', title, t('Transaction failed. Please try again.'), advice)
}

function stopBy(step: PaymentStep, reached: keyof typeof switchProblems): void {
  const [title, text] = switchProblems[reached]
  stop(step, translate(title), translate(text))
}

/** Why the payment stopped: shows the printed toast and stores the step's text, the same unless `advice` is given. */
function stop(step: PaymentStep, title: string, text: string, advice = text): void {
  dispatch({ type: 'stepFailed', problem: { step, text: advice } })
  toast({ title, description: text, destructive: true })
}
