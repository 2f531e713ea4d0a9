import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { shorten } from '#shared/address.ts'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import type { Purchase, Reservation } from '#shared/contract/purchases.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { configQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { useIsOffline } from '#pwa/lib/connection.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { CopyButton } from '#pwa/ui/CopyButton.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { useAskedAt, useAskedTransfer } from './askedTransfer.ts'
import { countNodes, describeUnsent, isInProgress, stateOf } from './describePayments.ts'
import { findOpenReservation, timeLeftUntil } from './findOpenReservation.ts'
import { formatTimeLeft } from './formatTimeLeft.ts'
import { KeepReservationDialog } from './KeepReservationDialog.tsx'
import { EndedNotice } from './PaymentNotices.tsx'
import { deleteReport, isReported, type PaymentReport, usePaymentReports } from './paymentOutbox.ts'
import type { usePurchaseFlow } from './usePurchaseFlow.ts'

type Controls = ReturnType<typeof usePurchaseFlow>

/** What the account has started and not finished: reservations, payments in progress, refused reports. */
export function OpenPayments({ controls, userId }: { controls: Controls; userId: string }) {
  const { data: reservation } = useQuery(reservationQuery)
  const { data: purchases } = useQuery(purchasesQuery)
  const reports = usePaymentReports((outbox) => outbox.reports)
  const asked = useAskedTransfer((store) => store.asked)
  const now = useServerTime()
  const { flow } = controls

  const isDialogOpen = (flow.at === 'payment' || flow.at === 'tracking') && flow.isOpen
  const mine = reports.filter((report) => report.userId === userId)
  const held = findOpenReservation({ flow, reservation, purchases, reports: mine, now })
  const underWay = (purchases ?? []).filter(isInProgress)
  const unknown = mine.filter((report) => !isReported(report, purchases ?? []))
  // While it is open, the dialog shows the one that was sent last.
  const unsent = unknown.filter(
    ({ refusal, transactionHash }) =>
      refusal === undefined && !(flow.at === 'tracking' && flow.isOpen && flow.hash === transactionHash),
  )
  const refused = unknown.filter(({ refusal }) => refusal !== undefined)

  // Its order is not what is reserved, was not paid, and is not on the open page.
  const isAskedOrderGone =
    asked?.userId === userId &&
    now.getTime() - asked.at.getTime() < DAY &&
    reservation !== undefined &&
    reservation?.id !== asked.orderId &&
    purchases !== undefined &&
    !purchases.some(({ id }) => id === asked.orderId) &&
    !('order' in flow && flow.order.id === asked.orderId)

  const notices: ReactNode[] = []
  if (asked && isAskedOrderGone) notices.push(<EndedNotice key="ended" asked={asked} />)
  if (flow.at === 'payment' && flow.running && !flow.isOpen)
    notices.push(<AskedInWalletNotice key="wallet" order={flow.order} onShow={controls.open} />)
  else if (held && !isDialogOpen) notices.push(<HeldNotice key="reservation" held={held} controls={controls} now={now} />)
  for (const purchase of underWay) notices.push(<UnderWayNotice key={purchase.id} purchase={purchase} controls={controls} />)
  for (const report of unsent) notices.push(<UnsentNotice key={report.idempotencyKey} report={report} />)
  for (const report of refused) notices.push(<RefusedNotice key={report.idempotencyKey} report={report} />)
  return notices.length > 0 && <div className="mb-6 flex flex-col gap-3">{notices}</div>
}

interface AskedInWalletProps {
  order: { quantity: number; amount: bigint }
  onShow: () => void
}

const AskedInWalletNotice = ({ order: { quantity, amount }, onShow }: AskedInWalletProps) => (
  <Notice
    title={t('Payment requested in your wallet')}
    action={
      <Button variant="secondary" onClick={onShow}>
        {t('Show the progress')}
      </Button>
    }
  >
    <T
      text="{nodes} for {amount} USDT."
      nodes={countNodes(quantity)}
      amount={<span translate="no">{formatAmount(amount)}</span>}
    />
  </Notice>
)

const UnderWayNotice = ({ purchase, controls }: { purchase: Purchase; controls: Controls }) => (
  <Notice
    title={`${countNodes(purchase.requestedQuantity)}: ${stateOf(purchase)}`}
    action={
      // Until the wallet answers, the dialog belongs to the payment that it is asked for.
      controls.flow.at !== 'payment' && (
        <Button variant="secondary" onClick={() => controls.track(purchase)}>
          {t('Show the progress')}
        </Button>
      )
    }
  >
    <T
      text="{amount} USDT. Nothing left to do."
      amount={<span translate="no">{formatAmount(purchase.purchaseAmountUsdt)}</span>}
    />
  </Notice>
)

function UnsentNotice({ report }: { report: PaymentReport }) {
  const isOffline = useIsOffline()
  return (
    <Notice title={t('{nodes}: sent', { nodes: countNodes(report.requestedQuantity) })}>
      {describeUnsent(isOffline)}
      <TransactionHash hash={report.transactionHash} />
    </Notice>
  )
}

/** The server has refused the report of a payment that the chain may still have. */
function RefusedNotice({ report: { idempotencyKey, transactionHash, refusal = '' } }: { report: PaymentReport }) {
  const { data: config } = useQuery(configQuery)
  return (
    <Notice
      tone="warning"
      title={t('Payment needs attention')}
      action={
        <Button variant="secondary" onClick={() => deleteReport(idempotencyKey)}>
          {t('Dismiss')}
        </Button>
      }
    >
      {t(
        "{refusal} We'll find the transfer on the chain. If no nodes arrive within 30 minutes, send the transaction ID to {support}.",
        { refusal: translateServerText(refusal), support: config?.supportEmail ?? t('support') },
      )}
      <TransactionHash hash={transactionHash} />
    </Notice>
  )
}

/** The open reservation. It is released at one tap, unless the wallet may have paid it. */
function HeldNotice({ held, controls, now }: { held: Reservation; controls: Controls; now: Date }) {
  const { id, requestedQuantity: quantity, purchaseAmountUsdt: amount } = held
  const askedAt = useAskedAt(id)
  const [isAsking, setAsking] = useState(false)
  const timeLeft = timeLeftUntil(held.expiresAt, now)
  return (
    <>
      <Notice
        title={t('{nodes} reserved for you', { nodes: countNodes(quantity) })}
        action={
          // The page's primary button continues the payment.
          <Button
            variant="quiet"
            // Without a border, its label aligns with the text above.
            className="-ml-4"
            needsServer
            isPending={controls.isReleasing}
            onClick={() => (askedAt ? setAsking(true) : void controls.release(id))}
          >
            {t('Release')}
          </Button>
        }
      >
        <T
          text="{amount} USDT, reserved for another {time}. {state}"
          amount={<span translate="no">{formatAmount(amount)}</span>}
          time={<span className="figures">{formatTimeLeft(timeLeft)}</span>}
          state={t(askedAt ? 'Your wallet was asked to pay.' : 'Nothing is paid yet.')}
        />
      </Notice>
      {isAsking && (
        <KeepReservationDialog
          order={{ id, quantity, amount }}
          timeLeft={timeLeft}
          onRelease={controls.release}
          onBack={() => setAsking(false)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

const TransactionHash = ({ hash }: { hash: string }) => (
  <span className="mt-1 flex items-center">
    <span translate="no" className="exact">
      {shorten(hash)}
    </span>
    <CopyButton value={hash} what={t('transaction hash')} />
  </span>
)
