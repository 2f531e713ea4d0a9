import type { QueryClient } from '@tanstack/react-query'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import type { ChainSwitch } from '#pwa/wallet/switchToChain.ts'
import { switchToPaymentChain } from '#pwa/wallet/switchToPaymentChain.ts'
import { sendToken } from '#pwa/wallet/usdtCalls.ts'
import { isAlreadyPending, isLackOfFunds, isRejection } from '#pwa/wallet/walletErrors.ts'
import { openWalletSheet } from '#pwa/wallet/walletStore.ts'
import { WalletTimeoutError, withTimeLimit } from '#pwa/wallet/withTimeLimit.ts'
import { keepReport, sendReports } from './paymentOutbox.ts'
import type { Order, PaymentStep } from './purchaseFlow.ts'
import { dispatch } from './purchaseFlowStore.ts'
import { readAccounts, type WalletReading } from './readPaymentWallet.ts'

interface Circumstances {
  config: PublicConfig
  queryClient: QueryClient
  userId: string
}

/** A wallet that opens its window for an account has this long to be answered. */
const ACCOUNT_TIME = 60 * SECOND

/** Counts the transfers asked for: what comes of an earlier one that was given up says nothing of the newest. */
let newest = 0

/**
 * Asks the wallet for the payment of a reservation. Called by the tap itself, and the wallet is asked before anything else happens:
 * account, network and balance were read while the button was shown (usePaymentWallet.ts).
 */
export async function payReservation(order: Order, provider: Eip1193Provider, circumstances: Circumstances): Promise<void> {
  const { config, queryClient, userId } = circumstances
  const { chainId, usdtAddress: token } = config.paymentChain
  const { wallet: from, depositAddress: to, amount } = order
  if (!from || !to) return
  const turn = ++newest
  const answer = sendToken(provider, { chainId, token, from, to, amount })
  dispatch({ type: 'stepStarted', step: 'sent' })
  try {
    const hash = await answer
    // Kept before anything is shown or sent: the money is on its way.
    const at = new Date()
    keepReport({
      idempotencyKey: crypto.randomUUID(),
      userId,
      requestedQuantity: order.quantity,
      purchaseAmountUsdt: amount,
      transactionHash: hash,
      sentAt: at,
    })
    dispatch({ type: 'sent', hash, at })
    toast({ title: 'Transaction Submitted', description: 'Your nodes are allocated once the chain has confirmed it.' })
    await sendReports({ queryClient, userId })
  } catch (error) {
    console.info('The payment stopped', error)
    if (turn === newest) explainTransferError(error)
  }
}

/** No answer is waited for any more. One that comes all the same still counts. */
export function giveTransferUp(): void {
  newest++
  const text = 'Reject the earlier question if your wallet still shows it, so that you do not pay twice.'
  dispatch({ type: 'stepFailed', problem: { step: 'sent', text } })
}

/** The one thing to ask of a wallet that is not ready to pay. Called by the tap itself. */
export async function prepareWallet(order: Order, reading: Exclude<WalletReading, { at: 'ready' }>, config: PublicConfig) {
  if (reading.at === 'missing') {
    stop('network', 'MetaMask not found', 'Please install MetaMask to continue with payment.')
    openWalletSheet()
  } else if (reading.at === 'locked' || reading.at === 'otherAccount') {
    await reachAccount(reading.provider, { owner: order.wallet!, isLocked: reading.at === 'locked' })
  } else if (reading.at === 'otherNetwork') await reachNetwork(reading.provider, config.paymentChain)
}

/** Says that there is too little, or that nothing could be read. */
export function tellBalance({ amount }: Order, at: 'short' | 'unread'): void {
  if (at === 'unread') return stop('balance', 'Transaction Failed', 'Transaction failed. Please try again.')
  stop('balance', 'Insufficient USDT Balance', `You need ${formatAmount(amount)} USDT to complete this purchase.`)
}

async function reachAccount(provider: Eip1193Provider, { owner, isLocked }: { owner: string; isLocked: boolean }): Promise<void> {
  // Whoever shows another account is asked to choose; a locked one opens by itself.
  const question = isLocked
    ? provider.request({ method: 'eth_requestAccounts' })
    : provider.request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] })
  dispatch({ type: 'stepStarted', step: 'network' })
  try {
    await withTimeLimit(question, ACCOUNT_TIME)
    const accounts = readAccounts(await withTimeLimit(provider.request({ method: 'eth_accounts' }), ACCOUNT_TIME))
    if (accounts.includes(owner)) return void dispatch({ type: 'stepStopped' })
  } catch (error) {
    console.info('The wallet did not connect', error)
    if (isAlreadyPending(error)) return stop('network', ...switchProblems.pending)
    if (isLocked) {
      const isSilent = error instanceof WalletTimeoutError
      return stop(
        'network',
        'Connection Failed',
        isSilent ? 'Your wallet has not answered. Open it, then continue.' : 'Failed to connect to MetaMask. Please try again.',
      )
    }
  }
  stop(
    'network',
    'Registered Wallet Required',
    `Choose the account ${shorten(owner)} in your wallet: only its payment is recognised.`,
  )
}

const switchProblems: Record<Exclude<ChainSwitch, 'ready'>, [title: string, text: string]> = {
  rejected: ['Network Addition Cancelled', 'Your wallet has to be on BNB Smart Chain to pay.'],
  failed: ['Network Addition Failed', 'Switch your wallet to BNB Smart Chain yourself, then continue.'],
  pending: ['Wallet Request Waiting', 'Your wallet has a pending connection request. Answer it, then continue.'],
  silent: ['No Answer From the Wallet', 'Switch it to BNB Smart Chain yourself, then continue.'],
}

async function reachNetwork(provider: Eip1193Provider, chain: PublicConfig['paymentChain']): Promise<void> {
  const outcome = switchToPaymentChain(provider, chain)
  dispatch({ type: 'stepStarted', step: 'network' })
  const reached = await outcome
  if (reached !== 'ready') return stop('network', ...switchProblems[reached])
  dispatch({ type: 'stepStopped' })
}

function explainTransferError(error: unknown): void {
  if (isAlreadyPending(error)) return stop('sent', ...switchProblems.pending)
  const text = isRejection(error)
    ? 'Transaction was rejected by user.'
    : isLackOfFunds(error)
      ? 'Insufficient funds for transaction.'
      : 'Transaction failed. Please try again.'
  stop('sent', 'Transaction Failed', text)
}

/** Why the payment stopped: the toast that is printed for it, and what the dialog says under its step. */
function stop(step: PaymentStep, title: string, text: string): void {
  dispatch({ type: 'stepFailed', problem: { step, text } })
  toast({ title, description: text, destructive: true })
}
