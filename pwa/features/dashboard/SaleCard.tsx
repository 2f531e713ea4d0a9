import { t } from '#pwa/i18n/t.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { useSaleStart } from '#pwa/lib/useSaleStart.ts'
import { ButtonLink } from '#pwa/ui/ButtonLink.tsx'
import { SaleCountdown } from '#pwa/ui/SaleCountdown.tsx'
import { describeSale } from '#pwa/lib/describeSale.ts'

/** The countdown before the start, the buy button after it. */
export function SaleCard({ sale }: { sale: Sale }) {
  const { now, hasStarted } = useSaleStart(sale)
  const { title, text, canBuy } = describeSale(sale)
  return (
    <section aria-label={t('Node sale')} className="flex flex-col rounded-card border border-ink-5 bg-surface p-4 desk:p-6">
      {sale.startsAt && !hasStarted ? (
        <SaleCountdown startsAt={sale.startsAt} now={now} />
      ) : (
        <>
          <h2 className="text-20 font-strong">{title}</h2>
          <p className="mt-1 mb-4 text-14 text-ink-10">{text}</p>
          <ButtonLink to="/purchase" isWide className="mt-auto" variant={canBuy ? 'primary' : 'secondary'}>
            {t(canBuy ? 'Buy nodes' : 'See the purchase page')}
          </ButtonLink>
        </>
      )}
    </section>
  )
}
