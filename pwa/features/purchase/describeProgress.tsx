import type { Purchase, PurchaseResult } from '#shared/contract/purchases.ts'
import { type Message, msg, t, translate, translateServerText } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatAmount } from '#shared/amount.ts'
import { formatNodeNumbers } from '#shared/formatNodeNumbers.ts'
import { countConfirmations, describeShortage } from './describePayments.ts'
import { isReported, type PaymentReport } from './paymentOutbox.ts'
import type { TrackItem } from './PaymentTrack.tsx'
import type { PaymentStep, PurchaseFlow } from './purchaseFlow.ts'
import type { TransactionState } from './readTransactionState.ts'
import type { WalletReading } from './readPaymentWallet.ts'

type OpenFlow = Extract<PurchaseFlow, { at: 'payment' | 'tracking' }>

interface ProgressSources {
  /** The server's purchase, once it exists. */
  purchase: Purchase | undefined
  /** A report that the server has not acknowledged. */
  report: PaymentReport | undefined
  /** The state of the wallet; undefined until it was read. */
  wallet?: WalletReading | undefined
  /** The state of the transaction that this browser knows. */
  transactionState?: TransactionState | undefined
}

const names: Record<PaymentStep, Message> = {
  reserved: msg('Nodes reserved'),
  network: msg('BNB Smart Chain'),
  balance: msg('USDT balance'),
  sent: msg('Signed and sent'),
  confirmed: msg('Confirmed by the chain'),
  allocated: msg('Nodes allocated'),
}

/** The missing condition per step and wallet state. */
const missingFor: Partial<Record<PaymentStep, Partial<Record<WalletReading['at'], Message | ''>>>> = {
  network: {
    missing: msg('Connect your wallet.'),
    locked: msg('Your wallet is locked.'),
    otherAccount: msg('Your wallet is using a different account than the registered one.'),
    otherNetwork: msg('Your wallet is on another network.'),
  },
  balance: {
    missing: '',
    locked: '',
    otherAccount: '',
    otherNetwork: '',
    unread: msg("Your wallet hasn't been checked yet."),
    short: msg("Your wallet doesn't have enough USDT."),
  },
}

/** Why a payment is in review. */
export const reviewReasons: Record<PurchaseResult, Message> = {
  normal: msg('Our team is reviewing this payment.'),
  amount_mismatch: msg("The amount received doesn't match the total. Support will resolve it."),
  wallet_mismatch: msg("It came from a wallet that isn't registered to you. Support will resolve it."),
  insufficient_supply: msg('The nodes ran out before the payment arrived. Support will resolve it.'),
  late_payment: msg('It arrived after the reservation expired. Support will resolve it.'),
}

/** The steps of a payment, from the state of this browser, the server and the chain. */
export function describeProgress(flow: OpenFlow, { purchase, report, wallet, transactionState }: ProgressSources): TrackItem[] {
  const isSent = flow.at === 'tracking' || purchase !== undefined
  const item = (step: PaymentStep, rest: Omit<TrackItem, 'name' | 'at'>): TrackItem => ({
    name: translate(names[step]),
    at: flow.reachedAt[step],
    ...rest,
  })
  const shortage = wallet?.at === 'short' && describeShortage(wallet.balance, flow.order.amount)
  const early = (step: 'network' | 'balance' | 'sent', running: string): TrackItem => {
    if (isSent) return item(step, { state: 'done' })
    if (flow.at !== 'payment') return item(step, { state: 'waiting' })
    if (flow.running === step) return item(step, { state: 'running', detail: running })
    if (flow.problem?.step === step)
      // If the transfer can be repeated immediately, a refusal is a remark rather than an error.
      return {
        name: translate(names[step]),
        state: wallet?.at === 'ready' ? 'waiting' : 'failed',
        detail: step === 'balance' && shortage ? withLine(flow.problem.text, shortage) : flow.problem.text,
      }
    // Always from the latest reading of the wallet.
    const missing = wallet && missingFor[step]?.[wallet.at]
    if (missing && shortage)
      return { name: translate(names[step]), state: 'waiting', detail: withLine(translate(missing), shortage) }
    if (missing !== undefined) return { name: translate(names[step]), state: 'waiting', detail: missing && translate(missing) }
    return item(step, { state: flow.reachedAt[step] ? 'done' : 'waiting' })
  }

  return [
    item('reserved', {
      state: 'done',
      detail: exactly(
        `${formatCount(flow.order.quantity)} × ${formatAmount(flow.order.amount / BigInt(flow.order.quantity))} USDT`,
      ),
    }),
    early('network', t('Confirm in your wallet if prompted.')),
    early('balance', t('Checking it on the chain.')),
    early('sent', t('Confirm the transfer in your wallet.')),
    item('confirmed', isSent ? describeConfirmation({ purchase, report, transactionState }) : { state: 'waiting' }),
    item('allocated', describeAllocation(purchase)),
  ]
}

function describeConfirmation({ purchase, report, transactionState }: ProgressSources): Omit<TrackItem, 'name' | 'at'> {
  if (purchase?.paymentStatus === 'confirmed') return { state: 'done' }
  if (purchase?.paymentStatus === 'failed' || purchase?.paymentStatus === 'cancelled')
    return { state: 'failed', detail: closedText(purchase) }
  if (report?.refusal !== undefined && !(purchase && isReported(report, [purchase])))
    return { state: 'review', detail: translateServerText(report.refusal) }
  if (report) return { state: 'running', detail: t("Notifying the server. We'll retry until it responds.") }
  if (!purchase?.payment) {
    if (transactionState === 'failed')
      return { state: 'failed', detail: t('The transaction failed on the chain. Nothing was paid.') }
    if (transactionState === 'replaced')
      return {
        state: 'running',
        detail: t(
          "Your wallet replaced the transaction. If you sped it up, we'll find the new one by its sender and amount. If you cancelled it, nothing was paid.",
        ),
      }
    return { state: 'running', detail: t('Waiting for the first block.') }
  }
  const { confirmations, confirmationsNeeded } = purchase.payment
  if (confirmations >= confirmationsNeeded)
    return purchase.paymentStatus === 'manual_review'
      ? { state: 'done' }
      : { state: 'running', detail: t('Confirmed on the chain. We are checking it with a second source.') }
  return { state: 'running', detail: countConfirmations(purchase.payment) }
}

function describeAllocation(purchase: Purchase | undefined): Omit<TrackItem, 'name' | 'at'> {
  if (purchase?.paymentStatus === 'confirmed') {
    const { nodeNumbers } = purchase
    return {
      state: 'done',
      detail: exactly(
        t(nodeNumbers.length === 1 ? 'Node {numbers} is yours.' : 'Nodes {numbers} are yours.', {
          numbers: formatNodeNumbers(nodeNumbers, formatCount),
        }),
      ),
    }
  }
  if (purchase?.paymentStatus === 'manual_review')
    return { state: 'review', detail: wordOf(reviewReasons, purchase.purchaseResult) }
  return { state: 'waiting' }
}

const closedText = ({ paymentStatus, adminNotes }: Purchase): string =>
  adminNotes ?? t(paymentStatus === 'cancelled' ? 'Cancelled: no payment arrived in time.' : 'This payment was not accepted.')

const withLine = (text: string, line: string) => (
  <>
    {text}
    <span className="block">{line}</span>
  </>
)

/** Not translated by browsers, which reformat the digits. */
const exactly = (text: string) => <span translate="no">{text}</span>
