import type { QueryClient } from '@tanstack/react-query'
import type { PublicConfig } from '#shared/contract/settings.ts'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import { toast } from '#pwa/ui/toast.ts'
import type { Eip1193Provider } from '#pwa/wallet/Eip1193Provider.ts'
import { loadWalletAccess } from '#pwa/wallet/loadWalletAccess.ts'
import type { ChainSwitch } from '#pwa/wallet/switchToChain.ts'
import { switchToPaymentChain } from '#pwa/wallet/switchToPaymentChain.ts'
import { readTokenBalance, sendToken, WrongChainError } from '#pwa/wallet/usdtCalls.ts'
import { isAlreadyPending, isLackOfFunds, isRejection } from '#pwa/wallet/walletErrors.ts'
import { keepReport, sendReports } from './paymentOutbox.ts'
import type { Order, PaymentStep } from './purchaseFlow.ts'
import { dispatch } from './purchaseFlowStore.ts'

interface Circumstances {
  config: PublicConfig
  queryClient: QueryClient
  userId: string
}

/** Why the payment stopped: the toast that is printed for it, and what the dialog says under its step. */
class PaymentStopped extends Error {
  override name = 'PaymentStopped'
  readonly step: PaymentStep
  readonly title: string

  constructor(step: PaymentStep, title: string, text: string) {
    super(text)
    this.step = step
    this.title = title
  }
}

/** Asks the wallet for the payment of a reservation: network, balance, transfer. Called by the tap itself. */
export async function payReservation(order: Order, circumstances: Circumstances): Promise<void> {
  const { config, queryClient, userId } = circumstances
  const { paymentChain } = config
  const { wallet: owner, depositAddress: to } = order
  if (!owner || !to) return
  dispatch({ type: 'stepStarted', step: 'network' })
  try {
    const provider = await findProvider(config, owner)
    await reachNetwork(provider, paymentChain)
    await checkBalance(provider, { token: paymentChain.usdtAddress, owner, amount: order.amount })
    dispatch({ type: 'stepStarted', step: 'sent' })
    const transfer = { chainId: paymentChain.chainId, token: paymentChain.usdtAddress, from: owner, to, amount: order.amount }
    const hash = await sendToken(provider, transfer).catch((error: unknown) => {
      throw explainTransferError(error)
    })

    // Kept before anything is shown or sent: the money is on its way.
    const at = new Date()
    keepReport({
      idempotencyKey: crypto.randomUUID(),
      userId,
      requestedQuantity: order.quantity,
      purchaseAmountUsdt: order.amount,
      transactionHash: hash,
      sentAt: at,
    })
    dispatch({ type: 'sent', hash, at })
    toast({ title: 'Transaction Submitted', description: 'Your nodes are allocated once the chain has confirmed it.' })
    await sendReports({ queryClient, userId })
  } catch (error) {
    const stopped =
      error instanceof PaymentStopped
        ? error
        : new PaymentStopped('network', 'Transaction Failed', 'Transaction failed. Please try again.')
    if (stopped !== error) console.info('The payment stopped', error)
    dispatch({ type: 'stepFailed', problem: { step: stopped.step, text: stopped.message } })
    toast({ title: stopped.title, description: stopped.message, destructive: true })
  }
}

async function findProvider(config: PublicConfig, owner: string): Promise<Eip1193Provider> {
  const provider = await (await loadWalletAccess(config)).provider()
  if (!provider) {
    throw new PaymentStopped('network', 'MetaMask not found', 'Please install MetaMask to continue with payment.')
  }
  const readAccounts = async (method: string) =>
    ((await provider.request({ method })) as string[]).map((account) => account.toLowerCase())
  try {
    if ((await readAccounts('eth_accounts')).includes(owner)) return provider
    if ((await readAccounts('eth_requestAccounts')).includes(owner)) return provider
  } catch (error) {
    console.info('The wallet did not connect', error)
    throw new PaymentStopped('network', 'Connection Failed', 'Failed to connect to MetaMask. Please try again.')
  }
  throw new PaymentStopped(
    'network',
    'Registered Wallet Required',
    `Choose the account ${shorten(owner)} in your wallet: only its payment is recognised.`,
  )
}

const switchProblems: Record<Exclude<ChainSwitch, 'ready'>, { title: string; text: string }> = {
  rejected: { title: 'Network Addition Cancelled', text: 'Your wallet has to be on BNB Smart Chain to pay.' },
  failed: { title: 'Network Addition Failed', text: 'Switch your wallet to BNB Smart Chain yourself, then continue.' },
  pending: { title: 'Wallet Request Waiting', text: 'Your wallet has a pending connection request. Answer it, then continue.' },
  silent: { title: 'No Answer From the Wallet', text: 'Switch it to BNB Smart Chain yourself, then continue.' },
}

async function reachNetwork(provider: Eip1193Provider, chain: PublicConfig['paymentChain']): Promise<void> {
  const outcome = await switchToPaymentChain(provider, chain)
  if (outcome !== 'ready') {
    const { title, text } = switchProblems[outcome]
    throw new PaymentStopped('network', title, text)
  }
  dispatch({ type: 'stepReached', step: 'network', at: new Date() })
}

async function checkBalance(
  provider: Eip1193Provider,
  { token, owner, amount }: { token: `0x${string}`; owner: `0x${string}`; amount: bigint },
): Promise<void> {
  dispatch({ type: 'stepStarted', step: 'balance' })
  const balance = await readTokenBalance(provider, { token, owner }).catch((error: unknown) => {
    console.info('The balance could not be read', error)
    throw new PaymentStopped('balance', 'Transaction Failed', 'Transaction failed. Please try again.')
  })
  if (balance < amount) {
    throw new PaymentStopped(
      'balance',
      'Insufficient USDT Balance',
      `You need ${formatAmount(amount)} USDT to complete this purchase.`,
    )
  }
  dispatch({ type: 'stepReached', step: 'balance', at: new Date() })
}

function explainTransferError(error: unknown): PaymentStopped {
  if (isAlreadyPending(error)) return new PaymentStopped('sent', switchProblems.pending.title, switchProblems.pending.text)
  if (error instanceof WrongChainError)
    return new PaymentStopped('network', switchProblems.failed.title, switchProblems.failed.text)
  const text = isRejection(error)
    ? 'Transaction was rejected by user.'
    : isLackOfFunds(error)
      ? 'Insufficient funds for transaction.'
      : 'Transaction failed. Please try again.'
  return new PaymentStopped('sent', 'Transaction Failed', text)
}
