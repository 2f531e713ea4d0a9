import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { plural, t } from '#pwa/i18n/t.ts'
import { configQuery, purchasesQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { useSaleStart } from '#pwa/lib/useSaleStart.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { LoginRequired } from '#pwa/ui/LoginRequired.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { OneTimeCodeDialog } from '#pwa/ui/OneTimeCodeDialog.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { SaleCountdown } from '#pwa/ui/SaleCountdown.tsx'
import { Checklist } from './Checklist.tsx'
import { countPaid } from './forecastBonus.ts'
import { OpenPayments } from './OpenPayments.tsx'
import { PurchaseTerms } from './PurchaseTerms.tsx'
import { QuantityPicker } from './QuantityPicker.tsx'
import { readQuantity } from './readQuantity.ts'
import { Receipt } from './Receipt.tsx'
import { SaleFigures } from './SaleFigures.tsx'
import { usePurchaseConditions } from './usePurchaseConditions.tsx'
import { usePurchaseFlow } from './usePurchaseFlow.ts'

const OtpSetupDialog = lazy(async () => ({ default: (await import('../security/OtpSetupDialog.tsx')).OtpSetupDialog }))

export function PurchasePage() {
  const user = useAuthUser()
  const sale = useSale()
  const { now, hasStarted, hasJustStarted } = useSaleStart(sale)
  const { data: config } = useQuery(configQuery)
  const { data: purchases = [] } = useQuery({ ...purchasesQuery, enabled: Boolean(user) })
  const [typed, setTyped] = useState('1')
  const [isSettingUpOtp, setSettingUpOtp] = useState(false)
  const controls = usePurchaseFlow()
  const { flow } = controls

  const quantity = readQuantity(typed)
  const total = sale.nodePrice * BigInt(quantity)
  const isPending = flow.at === 'reserving' || (flow.at === 'payment' && flow.running !== null)
  const isClosed = sale.isLoading || !sale.isEnabled || !hasStarted || sale.remaining === 0 || config?.depositAddress === null
  const payLabel = t('Pay {amount} USDT', { amount: formatAmount(total) })
  const conditions = usePurchaseConditions({ sale, hasStarted, setUpOtp: () => setSettingUpOtp(true) })

  return (
    <Page title={t('Node Purchase')} isNarrow>
      {user && <OpenPayments controls={controls} userId={user.id} />}
      <div className="flex flex-col gap-8">
        <SaleFigures sale={sale} mine={purchases.flatMap(({ nodeNumbers }) => nodeNumbers)} quantity={quantity} />
        {sale.startsAt && !hasStarted && (
          <Card aria-label={t('Start of the sale')}>
            <SaleCountdown startsAt={sale.startsAt} now={now} />
          </Card>
        )}
        {/* In the page from the start: a screen reader only announces changes of a region it knows. */}
        <div role="status" className="empty:hidden">
          {hasJustStarted && (
            <Card>
              <h2 className="text-20 font-strong">{t('Sales Started!')}</h2>
              <p className="mt-1 text-14 text-ink-10">{t('Node sales are available.')}</p>
            </Card>
          )}
        </div>
        {config?.depositAddress === null && (
          <Notice tone="warning" title={t('Purchases are not set up yet')}>
            {t('No deposit address is configured, so nothing can be paid.')}
          </Notice>
        )}
        <QuantityPicker typed={typed} onType={setTyped} remaining={sale.remaining} />
        <Receipt unitPrice={sale.nodePrice} quantity={quantity} owned={countPaid(purchases)} />
        {user === null ? (
          <LoginRequired>{t('Log in to purchase nodes. The quantity stays as you chose it.')}</LoginRequired>
        ) : (
          <>
            <Checklist conditions={conditions} />
            {/* On a phone it stands over the end of the page, in the thumb's reach. */}
            <div className="sticky bottom-0 z-10 order-last -mx-4 border-t border-ink-5 bg-ink-1 px-4 pt-3 pb-[max(12px,env(safe-area-inset-bottom))] desk:static desk:z-auto desk:order-none desk:mx-0 desk:border-0 desk:bg-transparent desk:p-0">
              <Button
                isWide
                className="min-h-13 text-16"
                translate="no"
                aria-label={plural(quantity, '{pay} to purchase {count} node', '{pay} to purchase {count} nodes', {
                  pay: payLabel,
                })}
                disabled={!user || isClosed}
                needsServer
                isPending={isPending}
                onClick={() => void controls.purchase(quantity)}
              >
                {payLabel}
              </Button>
            </div>
          </>
        )}
        <PurchaseTerms nodePrice={sale.nodePrice} />
      </div>

      {(flow.at === 'otpSetup' || isSettingUpOtp) && (
        <Suspense fallback={null}>
          <OtpSetupDialog
            open
            onOpenChange={(open) => {
              if (open) return
              setSettingUpOtp(false)
              // It closes before it says that the authenticator is on: only what is still waiting after that was abandoned.
              queueMicrotask(() => controls.abandonOtp('otpSetup'))
            }}
            onEnabled={controls.otpEnabled}
          />
        </Suspense>
      )}
      <OneTimeCodeDialog
        open={flow.at === 'otpCheck'}
        onOpenChange={(open) => !open && controls.abandonOtp('otpCheck')}
        title={t('OTP Verification')}
        description={t('Enter the code of your authenticator app to purchase nodes.')}
        onVerified={() => void controls.reserve()}
      />
    </Page>
  )
}
