import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { describeSale } from '#pwa/lib/describeSale.ts'
import { configQuery, purchasesQuery } from '#pwa/lib/queries.ts'
import { useAuthUser } from '#pwa/lib/useAuthUser.ts'
import { useSale } from '#pwa/lib/useSale.ts'
import { useSaleStart } from '#pwa/lib/useSaleStart.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Notice } from '#pwa/ui/Notice.tsx'
import { Page } from '#pwa/ui/Page.tsx'
import { SaleCountdown } from '#pwa/ui/SaleCountdown.tsx'
import { countPaid } from './forecastBonus.ts'
import { PurchaseTerms } from './PurchaseTerms.tsx'
import { QuantityPicker } from './QuantityPicker.tsx'
import { readQuantity } from './readQuantity.ts'
import { Receipt } from './Receipt.tsx'
import { SaleFigures } from './SaleFigures.tsx'

export interface QuantityChoice {
  /** As typed: readQuantity.ts parses it. */
  typed: string
  onType: (typed: string) => void
}

interface PurchaseOfferProps extends QuantityChoice {
  /** Payments in progress, shown on top. */
  above?: ReactNode
  /** The user has an open reservation, which can be paid while sales are stopped or put off, or all other nodes are sold. */
  isHeld?: boolean
  /** The user has an open reservation: no further nodes are offered until they ask. */
  isPickerHidden?: boolean
  /** The payment section, or the reason why payment is not possible. */
  children: ReactNode
}

/** The sale, the quantity picker and the price; the same for everybody. */
export function PurchaseOffer({ typed, onType, above, isHeld = false, isPickerHidden, children }: PurchaseOfferProps) {
  const user = useAuthUser()
  const sale = useSale()
  const { now, hasStarted, hasJustStarted } = useSaleStart(sale)
  const { data: config } = useQuery(configQuery)
  const { data: purchases = [] } = useQuery({ ...purchasesQuery, enabled: Boolean(user) })
  const quantity = readQuantity(typed)
  const state = describeSale(sale)

  return (
    <Page title={t('Node Purchase')} isNarrow>
      {above}
      <div className="flex flex-col gap-8">
        {!sale.isLoading && !sale.isEnabled && (
          <Notice tone="warning" title={t('Sales are stopped at the moment.')}>
            {t(
              isHeld
                ? 'You can still pay for the nodes reserved for you, until their time is over. More cannot be reserved.'
                : "You can't buy nodes right now. Nodes you have paid for are safe.",
            )}
          </Notice>
        )}
        {sale.startsAt && !hasStarted && (
          <Card aria-label={t('Start of the sale')}>
            <SaleCountdown startsAt={sale.startsAt} now={now} />
            {isHeld && sale.isEnabled && (
              <p className="mt-3">
                {t('You can still pay for the nodes reserved for you, until their time is over. More cannot be reserved.')}
              </p>
            )}
          </Card>
        )}
        {/* Always rendered, because screen readers announce only changes of regions they know. */}
        <div role="status" className="empty:hidden">
          {hasJustStarted && state.canBuy && (
            <Card>
              <h2 className="text-20 font-strong">{state.title}</h2>
              <p className="mt-1 text-14 text-ink-10">{state.text}</p>
            </Card>
          )}
        </div>
        <SaleFigures
          sale={sale}
          mine={purchases.flatMap(({ nodeNumbers }) => nodeNumbers)}
          quantity={isPickerHidden ? 0 : quantity}
        />
        {config?.depositAddress === null && (
          <Notice tone="warning" title={t('Purchases are not set up yet')}>
            {t("No deposit address is configured, so you can't pay yet.")}
          </Notice>
        )}
        {sale.remaining === 0 ? (
          <Notice title={state.title}>
            {isHeld
              ? t('All other nodes are sold. You can still pay for the nodes reserved for you, until their time is over.')
              : state.text}
          </Notice>
        ) : isPickerHidden ? null : (
          <>
            <QuantityPicker
              typed={typed}
              onType={onType}
              remaining={sale.remaining}
              isUnproven={user?.walletAddress != null && user.walletProven === false}
            />
            <Receipt unitPrice={sale.nodePrice} quantity={quantity} owned={countPaid(purchases)} />
          </>
        )}
        {children}
        <PurchaseTerms sale={sale} />
      </div>
    </Page>
  )
}
