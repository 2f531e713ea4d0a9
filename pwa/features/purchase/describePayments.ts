import { formatAmount } from '#shared/amount.ts'
import type { Purchase, Reservation } from '#shared/contract/purchases.ts'
import { formatNodeNumbers } from '#shared/formatNodeNumbers.ts'
import { plural, t, translateServerText } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { type AskedTransfer, askedAtOf } from './askedTransfer.ts'
import { findOpenReservation, timeLeftUntil } from './findOpenReservation.ts'
import { formatTimeLeft } from './formatTimeLeft.ts'
import { isReported, type PaymentReport } from './paymentOutbox.ts'
import type { PurchaseFlow } from './purchaseFlow.ts'

/** One payment as one line. */
export interface PaymentLine {
  key: string
  tone: 'waiting' | 'review' | 'done'
  title: string
  text: string
  /** The action of its button. */
  opens: 'wallet' | 'reservation' | 'refusal' | 'nothing' | Purchase
}

export interface KnownPayments {
  flow: PurchaseFlow
  reservation: Reservation | null | undefined
  /** The transfer that the wallet was asked for and may have sent. */
  asked: AskedTransfer | null
  /** Undefined until they are known. */
  purchases: readonly Purchase[] | undefined
  /** This account's reports. */
  reports: readonly PaymentReport[]
  /** Purchases that were confirmed while this page was open. */
  newlyConfirmed: readonly Purchase[]
  isOffline: boolean
  now: Date
}

/** The payments in progress, the most urgent first, from the server and from this browser's unsent reports. */
export function describePayments({
  flow,
  reservation,
  asked,
  purchases,
  reports,
  newlyConfirmed,
  isOffline,
  now,
}: KnownPayments): PaymentLine[] {
  const lines: PaymentLine[] = []
  const known = purchases ?? []

  if (flow.at === 'payment' && flow.running) {
    lines.push({
      key: 'wallet',
      tone: 'waiting',
      title: t('Waiting for your wallet'),
      text: t('{nodes} for {amount} USDT', {
        nodes: countNodes(flow.order.quantity),
        amount: formatAmount(flow.order.amount),
      }),
      opens: 'wallet',
    })
  }
  for (const report of reports) {
    const { idempotencyKey, refusal, requestedQuantity } = report
    if (isReported(report, known)) continue
    lines.push(
      refusal === undefined
        ? {
            key: idempotencyKey,
            tone: 'waiting',
            title: t('{nodes}: sent', { nodes: countNodes(requestedQuantity) }),
            text: describeUnsent(isOffline),
            opens: 'nothing',
          }
        : {
            key: idempotencyKey,
            tone: 'review',
            title: t('Payment needs attention'),
            text: translateServerText(refusal),
            opens: 'refusal',
          },
    )
  }
  for (const purchase of known.filter(isInProgress)) {
    lines.push({
      key: purchase.id,
      tone: purchase.paymentStatus === 'manual_review' ? 'review' : 'waiting',
      title: countNodes(purchase.requestedQuantity),
      text: stateOf(purchase),
      opens: purchase,
    })
  }
  const openReservation = findOpenReservation({ flow, reservation, purchases, reports, now })
  // Another one may be replacing it.
  if (openReservation && flow.at !== 'reserving') {
    const time = formatTimeLeft(timeLeftUntil(openReservation.expiresAt, now))
    lines.push({
      key: openReservation.id,
      tone: 'waiting',
      title: t('{nodes} reserved for you', { nodes: countNodes(openReservation.requestedQuantity) }),
      text: t(askedAtOf(asked, openReservation.id) ? 'Your wallet was asked to pay, {time} left' : 'Not paid yet, {time} left', {
        time,
      }),
      opens: 'reservation',
    })
  }
  for (const purchase of newlyConfirmed) {
    lines.push({
      key: `${purchase.id} newlyConfirmed`,
      tone: 'done',
      title: t(purchase.nodeNumbers.length === 1 ? 'Your node has arrived' : 'Your nodes have arrived'),
      text: formatNodeNumbers(purchase.nodeNumbers, formatCount),
      opens: purchase,
    })
  }
  return lines
}

/** What happens to a report that the server does not have yet. */
export const describeUnsent = (isOffline: boolean): string =>
  t(
    isOffline
      ? 'The server will be notified when you are online. Your payment is safe.'
      : 'Notifying the server. Your payment is safe.',
  )

/** Whether a payment has no outcome yet: what is bought now is bought in addition. */
export const hasOpenPayment = ({ purchases = [], reports }: Pick<KnownPayments, 'purchases' | 'reports'>): boolean =>
  purchases.some(isInProgress) || reports.some((report) => !isReported(report, purchases))

export const isInProgress = ({ paymentStatus }: Purchase): boolean =>
  paymentStatus === 'pending' || paymentStatus === 'manual_review'

export const countNodes = (quantity: number): string => plural(quantity, '{count} node', '{count} nodes')

/** The wallet's balance and the missing amount, shown beside the printed texts. */
export const describeShortage = (balance: bigint, needed: bigint): string =>
  t('Your wallet has {balance} USDT. You need {missing} USDT more.', {
    balance: formatAmount(balance),
    missing: formatAmount(needed - balance),
  })

/** "4 of 15 confirmations"; never more than required. */
export const countConfirmations = ({ confirmations, confirmationsNeeded }: NonNullable<Purchase['payment']>): string =>
  t('{count} of {needed} confirmations', { count: Math.min(confirmations, confirmationsNeeded), needed: confirmationsNeeded })

/** A short status of a purchase's payment. */
export function stateOf({ paymentStatus, payment }: Purchase): string {
  if (paymentStatus === 'manual_review') return t('under review')
  if (!payment) return t('sent, waiting for the chain')
  return countConfirmations(payment)
}
