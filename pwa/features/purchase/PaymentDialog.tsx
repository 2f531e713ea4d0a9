import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { SECOND } from '#shared/dates.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { configQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { useServerTime } from '#pwa/lib/serverClock.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { DemoChainsHint } from '#pwa/ui/DemoChainsHint.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { useIsLong } from '#pwa/ui/useIsLong.ts'
import { useAskedAt } from './askedTransfer.ts'
import { CheckTransaction } from './CheckTransaction.tsx'
import { countNodes } from './describePayments.ts'
import { describeProgress } from './describeProgress.tsx'
import { timeLeftUntil } from './findOpenReservation.ts'
import { formatTimeLeft } from './formatTimeLeft.ts'
import { KeepReservationDialog } from './KeepReservationDialog.tsx'
import { usePaymentReports } from './paymentOutbox.ts'
import { PayButton } from './PayButton.tsx'
import { PaymentHash } from './PaymentHash.tsx'
import { AskedNotice, ExpiredNotice, NoAnswerNotice, PaidNotice, UnseenNotice } from './PaymentNotices.tsx'
import { PaymentTrack } from './PaymentTrack.tsx'
import { dispatch } from './purchaseFlowStore.ts'
import { usePaymentWallet } from './usePaymentWallet.ts'
import type { usePurchaseFlow } from './usePurchaseFlow.ts'
import { useTransactionState } from './useTransactionState.ts'

type Flow = ReturnType<typeof usePurchaseFlow>

/** A transfer signed later than this would be mined after the reservation has expired. */
const MIN_TIME_TO_PAY = 30 * SECOND
/** On a phone the wallet's answer may get lost; after this time the dialog explains what to do. */
const WALLET_HINT_DELAY = 20 * SECOND
/** A transaction without a block after this time was sped up, cancelled, or pays too low a fee. */
const BLOCK_HINT_DELAY = 60 * SECOND

/** "Payment Progress": the payment of one purchase, from the reservation to the node numbers. */
export function PaymentDialog({ controls }: { controls: Flow }) {
  const { flow, close, release } = controls
  const user = useAuthUser()
  const now = useServerTime()
  const { data: purchases } = useQuery({ ...purchasesQuery, enabled: Boolean(user) })
  const { data: config } = useQuery(configQuery)
  const reports = usePaymentReports((outbox) => outbox.reports)
  const [isLeaving, setLeaving] = useState(false)
  const [isChecking, setChecking] = useState(false)

  const hash = flow.at === 'tracking' ? flow.hash : null
  const orderId = flow.at === 'payment' || flow.at === 'tracking' ? flow.order.id : null
  const askedAt = useAskedAt(orderId)
  const purchase = purchases?.find(({ id, transactionHash }) => id === orderId || (hash !== null && transactionHash === hash))
  useStepTimes(purchase?.paymentStatus, flow.at === 'tracking')
  const isUnseen = flow.at === 'tracking' && !purchase?.payment && purchase?.paymentStatus !== 'confirmed'
  const isUnseenLong = useIsLong(isUnseen, BLOCK_HINT_DELAY)
  // Unless the purchases are known, it may have been paid elsewhere.
  const isUnpaid = flow.at === 'payment' && purchases !== undefined && purchase === undefined
  const isWaitingLong = useIsLong(isUnpaid && flow.running === 'sent', WALLET_HINT_DELAY)
  const { data: reservation } = useQuery({ ...reservationQuery, enabled: isUnpaid })
  const wallet = usePaymentWallet(isUnpaid && flow.isOpen ? flow.order : null, config)
  const transactionState = useTransactionState(isUnseen && flow.isOpen ? hash : null, config)

  if ((flow.at !== 'payment' && flow.at !== 'tracking') || !flow.isOpen) return null

  const { quantity, amount, expiresAt } = flow.order
  const timeLeft = expiresAt ? timeLeftUntil(expiresAt, now) : 0
  // The server may end a reservation early if the wallet's balance drops, and another quantity replaces it.
  const isGone = reservation !== undefined && reservation?.id !== orderId
  const isTooLate = isUnpaid && (timeLeft < MIN_TIME_TO_PAY || isGone)
  const isBusy = flow.at === 'payment' && flow.running !== null
  const isAnswerUnknown = isUnpaid && !isTooLate && flow.running !== 'sent'
  const isOver = purchase?.paymentStatus === 'confirmed'
  const report = reports.find(({ transactionHash }) => transactionHash === hash)
  // The server's hash takes precedence: a transaction that was sped up has another hash than the one sent here.
  const shownHash = (purchase?.payment ? purchase.transactionHash : null) ?? hash ?? purchase?.transactionHash ?? null
  const needsHash = isUnseen && (isUnseenLong || transactionState === 'replaced' || transactionState === 'failed')

  function leave() {
    if (isUnpaid && !isBusy && !isTooLate) return setLeaving(true)
    setLeaving(false)
    close()
  }

  if (isLeaving && isUnpaid && !isBusy) {
    return (
      <KeepReservationDialog
        order={flow.order}
        timeLeft={timeLeft}
        onRelease={release}
        onBack={() => setLeaving(false)}
        onClose={() => {
          setLeaving(false)
          close()
        }}
      />
    )
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && leave()}
      title={t('Payment Progress')}
      // Not on a button, so that pressing Enter again after the code cannot start the payment.
      onOpenAutoFocus={(event) => {
        event.preventDefault()
        if (event.target instanceof HTMLElement) event.target.focus()
      }}
      description={
        <T
          text="{nodes} for {amount} USDT"
          nodes={countNodes(quantity)}
          amount={<span translate="no">{formatAmount(amount)}</span>}
        />
      }
      actions={
        isUnpaid && !isTooLate ? (
          <>
            <Button variant="secondary" onClick={leave}>
              {t('Close')}
            </Button>
            <PayButton controls={controls} order={flow.order} wallet={wallet} config={config} isBusy={isBusy} />
          </>
        ) : isOver ? (
          <>
            <ButtonLink to="/history" variant="secondary" onClick={close}>
              {t('See your history')}
            </ButtonLink>
            <Button onClick={close}>{t('Done')}</Button>
          </>
        ) : (
          <Button variant="secondary" onClick={leave}>
            {t('Close')}
          </Button>
        )
      }
    >
      <div aria-live="polite">
        <PaymentTrack items={describeProgress(flow, { purchase, report, wallet: wallet.reading, transactionState })} />
      </div>
      {isUnpaid && !isTooLate && !isWaitingLong && (
        <p className="text-14 text-ink-9">
          <T
            text="Reserved for {time}. Your wallet will ask you to confirm."
            time={<span className="figures text-ink-11">{formatTimeLeft(timeLeft)}</span>}
          />
        </p>
      )}
      <div className="mt-3 flex flex-col gap-3 empty:hidden">
        {isAnswerUnknown && askedAt && <AskedNotice at={askedAt} />}
        {purchase && askedAt && <PaidNotice />}
        {isWaitingLong && <NoAnswerNotice onSent={() => setChecking(true)} />}
        {isTooLate && <ExpiredNotice wasAsked={askedAt !== null} />}
        {needsHash && <UnseenNotice hasFailed={transactionState === 'failed'} />}
      </div>
      {shownHash && (
        <>
          <PaymentHash hash={shownHash} />
          <div className="mt-2">
            <DemoChainsHint />
          </div>
        </>
      )}
      {isUnpaid && !isChecking && (
        <TextButton className="mt-3" onClick={() => setChecking(true)}>
          {t('Sent it already? Check my transaction')}
        </TextButton>
      )}
      {((isUnpaid && isChecking) || isUnseen) && <CheckTransaction order={flow.order} />}
      {(flow.at === 'tracking' || purchase) && !isOver && (
        <p className="mt-3 text-14 text-ink-9">
          {t("You can close this. We'll keep tracking the payment on the chain and email you when the nodes are yours.")}
        </p>
      )}
    </Dialog>
  )
}

/** Records when this page saw the last steps complete. */
function useStepTimes(status: string | undefined, isTracking: boolean): void {
  useEffect(() => {
    if (!isTracking || status !== 'confirmed') return
    const at = new Date()
    dispatch({ type: 'stepReached', step: 'confirmed', at })
    dispatch({ type: 'stepReached', step: 'allocated', at })
  }, [status, isTracking])
}
