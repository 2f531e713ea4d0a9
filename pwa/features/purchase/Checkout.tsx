import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useState } from 'react'
import type { AuthUser } from '#shared/contract/identity.ts'
import type { Reservation } from '#shared/contract/purchases.ts'
import { formatAmount } from '#shared/amount.ts'
import { costOf } from '#shared/sale.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { configQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { useSaleStart } from '#pwa/lib/useSaleStart.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { OtpSteps } from '../security/OtpSteps.tsx'
import { useAskedAt } from './askedTransfer.ts'
import { endOffer } from './chosenQuantity.ts'
import { Checklist } from './Checklist.tsx'
import { countNodes, hasOpenPayment } from './describePayments.ts'
import { OpenPayments } from './OpenPayments.tsx'
import { KeepAdvice } from './PaymentNotices.tsx'
import { usePaymentReports } from './paymentOutbox.ts'
import { usePlaceInLine } from './placeInLine.ts'
import { PlaceNotice } from './PlaceNotice.tsx'
import { PurchaseOffer, type QuantityChoice } from './PurchaseOffer.tsx'
import { readQuantity } from './readQuantity.ts'
import { useOpenReservation } from './useOpenReservation.ts'
import { usePurchaseConditions } from './usePurchaseConditions.tsx'
import { usePurchaseFlow } from './usePurchaseFlow.ts'

/** The offer with everything needed to pay for it. */
export function Checkout({ user, ...choice }: QuantityChoice & { user: AuthUser | undefined }) {
  const sale = useSale()
  const { hasStarted } = useSaleStart(sale)
  const { data: config } = useQuery(configQuery)
  const [isSettingUpOtp, setSettingUpOtp] = useState(false)
  const controls = usePurchaseFlow()
  const { flow, isReleasing } = controls

  const quantity = readQuantity(choice.typed)
  useEffect(() => {
    if (user) endOffer()
  }, [user])
  const reservation = useQuery({ ...reservationQuery, enabled: Boolean(user) })
  const purchases = useQuery({ ...purchasesQuery, enabled: Boolean(user) })
  const isAnyUnknown = reservation.data === undefined || purchases.data === undefined
  const held = useOpenReservation()
  const [isBuyingMore, setBuyingMore] = useState(false)
  const [isPressed, setPressed] = useState(false)
  const isInLine = usePlaceInLine((store) => store.before !== null)
  const isPending =
    isPressed || flow.at === 'reserving' || isReleasing || isInLine || (flow.at === 'payment' && flow.running !== null)
  const isClosed = sale.isLoading || !sale.isEnabled || !hasStarted || sale.remaining === 0 || config?.depositAddress === null
  const amountOf = (count: number) => formatAmount(costOf(sale.nodePrice, count))
  const payLabel = t('Pay {amount} USDT', { amount: amountOf(quantity) })
  const asked = 'quantity' in flow ? flow.quantity : quantity
  // While the wallet asks, the reservation is part of the payment.
  const isHeld = held !== null || flow.at === 'payment'
  const conditions = usePurchaseConditions({
    sale,
    hasStarted,
    isHeld,
    quantity,
    onQuantity: (count) => choice.onType(String(count)),
    setUpOtp: () => setSettingUpOtp(true),
  })

  async function press() {
    setPressed(true)
    await controls.purchase(quantity).finally(() => setPressed(false))
  }

  const noteId = useId()
  const reports = usePaymentReports((outbox) => outbox.reports).filter(({ userId }) => userId === user?.id)
  const isAnother = !held && hasOpenPayment({ purchases: purchases.data, reports })

  const payButton = (
    <Button
      isWide
      className="min-h-13 text-16"
      variant={held ? 'secondary' : 'primary'}
      translate="no"
      aria-label={plural(quantity, '{pay} to purchase {count} node', '{pay} to purchase {count} nodes', {
        pay: payLabel,
      })}
      aria-describedby={isAnother ? noteId : undefined}
      // Disabled until reservations and purchases are loaded, because a press could start a second purchase.
      disabled={!user || isClosed || isAnyUnknown}
      needsServer
      isPending={isPending}
      onClick={() => void press()}
    >
      {payLabel}
    </Button>
  )

  return (
    <>
      <PurchaseOffer
        {...choice}
        isHeld={isHeld}
        isPickerHidden={held !== null && !isBuyingMore}
        above={
          user && (
            <>
              {(reservation.isLoadingError || purchases.isLoadingError) && (
                <PaymentsNotLoaded
                  isTrying={reservation.isFetching || purchases.isFetching}
                  onRetry={() => void Promise.all([reservation.refetch(), purchases.refetch()])}
                />
              )}
              <OpenPayments controls={controls} userId={user.id} />
            </>
          )
        }
      >
        <Checklist conditions={conditions} />
        {/* Sticky at the bottom of a phone's screen, within reach of the thumb. */}
        <div className="sticky bottom-0 z-10 order-last -mx-4 border-t border-ink-5 bg-ink-1 px-4 pt-3 pb-[max(12px,env(safe-area-inset-bottom))] desk:static desk:z-auto desk:order-none desk:mx-0 desk:border-0 desk:bg-transparent desk:p-0">
          <PlaceNotice />
          {held ? (
            <Button
              isWide
              className="min-h-13 text-16"
              isPending={flow.at === 'reserving' || isReleasing}
              onClick={() => controls.resume(held)}
            >
              {t('Continue with the payment')}
            </Button>
          ) : (
            <>
              {isAnother && (
                <p id={noteId} className="pb-3 text-center text-14 text-ink-10">
                  {t('You have a payment in progress. This is another purchase.')}
                </p>
              )}
              {payButton}
            </>
          )}
        </div>
        {held &&
          !isClosed &&
          (isBuyingMore ? (
            <BuyInstead held={held}>{payButton}</BuyInstead>
          ) : (
            <Button variant="quiet" onClick={() => setBuyingMore(true)}>
              {t('Buy more')}
            </Button>
          ))}
      </PurchaseOffer>

      <OtpSteps
        at={flow.at}
        isSettingUp={isSettingUpOtp}
        onEndSetup={() => setSettingUpOtp(false)}
        onAbandon={controls.abandonOtp}
        onEnabled={controls.otpEnabled}
        onVerified={() => void controls.reserve()}
        description={t('Enter the code from your authenticator app to purchase {nodes} for {amount} USDT.', {
          nodes: countNodes(asked),
          amount: amountOf(asked),
        })}
      />
    </>
  )
}

function PaymentsNotLoaded({ isTrying, onRetry }: { isTrying: boolean; onRetry: () => void }) {
  return (
    <div className="mb-6">
      <Notice tone="warning" title={t("Couldn't load your payments")} action={<TryAgain isTrying={isTrying} onPress={onRetry} />}>
        {t('You can buy nodes once we know that you have no open payment.')}
      </Notice>
    </div>
  )
}

/** Buys another quantity in place of the open reservation. `children` is the button. */
function BuyInstead({ held, children }: { held: Reservation; children: ReactNode }) {
  const askedAt = useAskedAt(held.id)
  return (
    <div className="flex flex-col gap-3">
      {askedAt && (
        <Notice tone="warning" title={t('Payment requested in your wallet')}>
          <KeepAdvice at={askedAt} />
        </Notice>
      )}
      <p className="text-14 text-ink-10">
        {t('A new quantity replaces the {nodes} reserved for you. To get both, pay for those first.', {
          nodes: countNodes(held.requestedQuantity),
        })}
      </p>
      {children}
    </div>
  )
}
