import type { Purchase, PurchaseResult } from '#shared/contract/purchases.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { formatAmount } from '#shared/amount.ts'
import { formatNodeNumbers } from './formatNodeNumbers.ts'
import type { PaymentReport } from './paymentOutbox.ts'
import type { TrackItem } from './PaymentTrack.tsx'
import type { PaymentStep, PurchaseFlow } from './purchaseFlow.ts'
import type { TransactionFate } from './readTransactionFate.ts'
import type { WalletReading } from './readPaymentWallet.ts'

type OpenFlow = Extract<PurchaseFlow, { at: 'payment' | 'tracking' }>

interface Known {
  /** The server's row, once it has one. */
  purchase: Purchase | undefined
  /** Kept because the server has not acknowledged it. */
  report: PaymentReport | undefined
  /** What the wallet is not ready for; undefined if it is, or not read yet. */
  wallet?: WalletReading['at'] | undefined
  /** What became of the transaction that this browser knows. */
  fate?: TransactionFate | undefined
}

const names: Record<PaymentStep, string> = {
  reserved: 'Nodes reserved',
  network: 'BNB Smart Chain',
  balance: 'USDT balance',
  sent: 'Signed and sent',
  confirmed: 'Confirmed by the chain',
  allocated: 'Nodes allocated',
}

/** What is missing for a step, in a wallet of which this was read. */
const missingFor: Partial<Record<PaymentStep, Partial<Record<WalletReading['at'], string>>>> = {
  network: {
    missing: 'Connect the wallet first.',
    locked: 'Your wallet is locked.',
    otherAccount: 'Your wallet shows another account than the registered one.',
    otherNetwork: 'Your wallet is on another network.',
  },
  balance: {
    missing: '',
    locked: '',
    otherAccount: '',
    otherNetwork: '',
    unread: 'Your wallet could not be read yet.',
    short: 'There is too little USDT in your wallet.',
  },
}

/** What a payment is looked at for, in words. */
export const reviewReasons: Record<PurchaseResult, string> = {
  normal: 'A person is looking at this payment.',
  amount_mismatch: 'The amount that arrived is not the total. Support will set it right.',
  wallet_mismatch: 'It came from another wallet than yours. Support will set it right.',
  insufficient_supply: 'The nodes ran out before the payment arrived. Support will set it right.',
  late_payment: 'It arrived after the reservation had ended. Support will set it right.',
}

/** The track of a payment from what this browser, the server and the chain know of it. */
export function describeProgress(flow: OpenFlow, { purchase, report, wallet, fate }: Known): TrackItem[] {
  const isSent = flow.at === 'tracking' || purchase !== undefined
  const item = (step: PaymentStep, rest: Omit<TrackItem, 'name' | 'at'>): TrackItem => ({
    name: names[step],
    at: flow.reachedAt[step],
    ...rest,
  })
  const early = (step: 'network' | 'balance' | 'sent', running: string): TrackItem => {
    if (isSent) return item(step, { state: 'done' })
    if (flow.at !== 'payment') return item(step, { state: 'waiting' })
    if (flow.running === step) return item(step, { state: 'running', detail: running })
    if (flow.problem?.step === step) return item(step, { state: 'failed', detail: flow.problem.text })
    // What is true of the wallet now counts, not what was true a minute ago.
    const missing = wallet && missingFor[step]?.[wallet]
    if (missing !== undefined) return { name: names[step], state: 'waiting', detail: missing }
    return item(step, { state: flow.reachedAt[step] ? 'done' : 'waiting' })
  }

  return [
    item('reserved', {
      state: 'done',
      detail: `${formatCount(flow.order.quantity)} × ${formatAmount(flow.order.amount / BigInt(flow.order.quantity))} USDT`,
    }),
    early('network', 'Confirm in your wallet if it asks.'),
    early('balance', 'Reading it from the chain.'),
    early('sent', 'Confirm the transfer in your wallet.'),
    item('confirmed', isSent ? describeConfirmation({ purchase, report, fate }) : { state: 'waiting' }),
    item('allocated', describeAllocation(purchase)),
  ]
}

function describeConfirmation({ purchase, report, fate }: Known): Omit<TrackItem, 'name' | 'at'> {
  if (purchase?.paymentStatus === 'confirmed') return { state: 'done' }
  if (purchase?.paymentStatus === 'failed' || purchase?.paymentStatus === 'cancelled')
    return { state: 'failed', detail: closedText(purchase) }
  if (report?.refusal !== undefined) return { state: 'review', detail: report.refusal }
  if (report) return { state: 'running', detail: 'Telling the server. This is repeated until it answers.' }
  if (!purchase?.payment) {
    if (fate === 'failed') return { state: 'failed', detail: 'The transaction failed on the chain. Nothing was paid.' }
    if (fate === 'replaced')
      return {
        state: 'running',
        detail:
          'Your wallet has replaced the transaction. Sped up, it is found by its sender and amount; cancelled, nothing was paid.',
      }
    return { state: 'running', detail: 'Waiting for the first block.' }
  }
  const { confirmations, confirmationsNeeded } = purchase.payment
  if (confirmations >= confirmationsNeeded) return { state: purchase.paymentStatus === 'manual_review' ? 'done' : 'running' }
  return { state: 'running', detail: `${Math.min(confirmations, confirmationsNeeded)} of ${confirmationsNeeded} confirmations` }
}

function describeAllocation(purchase: Purchase | undefined): Omit<TrackItem, 'name' | 'at'> {
  if (purchase?.paymentStatus === 'confirmed') {
    const { nodeNumbers } = purchase
    return {
      state: 'done',
      detail:
        nodeNumbers.length === 1
          ? `Node ${formatNodeNumbers(nodeNumbers)} is yours.`
          : `Nodes ${formatNodeNumbers(nodeNumbers)} are yours.`,
    }
  }
  if (purchase?.paymentStatus === 'manual_review') return { state: 'review', detail: reviewReasons[purchase.purchaseResult] }
  return { state: 'waiting' }
}

const closedText = ({ paymentStatus, adminNotes }: Purchase): string =>
  adminNotes ?? (paymentStatus === 'cancelled' ? 'Cancelled: no payment arrived in time.' : 'This payment was not accepted.')
