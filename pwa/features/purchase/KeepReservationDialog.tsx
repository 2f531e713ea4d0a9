import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { useAskedAt } from './askedTransfer.ts'
import { countNodes } from './describePayments.ts'
import { formatTimeLeft } from './formatTimeLeft.ts'
import { KeepAdvice } from './PaymentNotices.tsx'
import type { Order } from './purchaseFlow.ts'
import { usePurchaseFlowStore } from './purchaseFlowStore.ts'

interface KeepReservationDialogProps {
  order: Pick<Order, 'id' | 'quantity' | 'amount'>
  timeLeft: number
  onRelease: (orderId: string) => Promise<void>
  onBack: () => void
  onClose: () => void
}

/** Asks whether to keep or release the reservation: before the payment dialog closes, and before a release that could cost a payment. */
export function KeepReservationDialog({ order, timeLeft, onRelease, onBack, onClose }: KeepReservationDialogProps) {
  const isReleasing = usePurchaseFlowStore((store) => store.isReleasing)
  const askedAt = useAskedAt(order.id)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isReleasing && onBack()}
      title={t('Keep the reservation?')}
      description={
        <T
          text="{nodes} for {amount} USDT, reserved for another {time}."
          nodes={countNodes(order.quantity)}
          amount={<span translate="no">{formatAmount(order.amount)}</span>}
          time={formatTimeLeft(timeLeft)}
        />
      }
      actions={
        <>
          <Button
            variant="secondary"
            needsServer
            isPending={isReleasing}
            pendingLabel={t('Releasing...')}
            onClick={async () => {
              await onRelease(order.id)
              onBack()
            }}
          >
            {t('Release the nodes')}
          </Button>
          <Button onClick={onClose}>{t('Keep them and close')}</Button>
        </>
      }
    >
      <p className="text-ink-10">
        {askedAt ? (
          <KeepAdvice at={askedAt} />
        ) : (
          t("Keep them to pay any time before the timer ends, or release them now. You haven't paid anything.")
        )}
      </p>
    </Dialog>
  )
}
