import { NODES_PER_BONUS } from '#shared/sale.ts'
import { t } from '#pwa/i18n/t.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { useSaleStart } from '#pwa/lib/useSaleStart.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { SaleCountdown } from '#pwa/ui/SaleCountdown.tsx'
import { BuyLink } from './BuyLink.tsx'
import { describeSale } from '#pwa/lib/describeSale.ts'

export function BuyMoreCard({ sale }: { sale: Sale }) {
  const { now, hasStarted } = useSaleStart(sale)
  const { title, text, canBuy } = describeSale(sale)
  return (
    <Card className="flex flex-col">
      <h2 className="mb-1 font-strong">{t('Purchase Additional Nodes')}</h2>
      {sale.startsAt && !hasStarted ? (
        <SaleCountdown startsAt={sale.startsAt} now={now} />
      ) : (
        <p className="text-14 text-ink-10">
          <b className="block font-strong text-ink-12">{title}</b>
          {text}
          {canBuy && ` ${t('One more comes free with every {count} you buy.', { count: NODES_PER_BONUS })}`}
        </p>
      )}
      <div className="mt-auto grid pt-5">
        {canBuy && hasStarted ? (
          <BuyLink />
        ) : (
          <ButtonLink to="/purchase" variant="secondary">
            {t('See the purchase page')}
          </ButtonLink>
        )}
      </div>
    </Card>
  )
}
