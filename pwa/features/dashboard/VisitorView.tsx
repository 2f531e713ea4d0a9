import { Suspense } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { T } from '#pwa/i18n/T.tsx'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { type Sale, useSale } from '#pwa/lib/useSale.ts'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { SoldParts } from '#pwa/ui/SoldParts.tsx'
import { Stat } from '#pwa/ui/Stat.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { SaleCard } from './SaleCard.tsx'

const SaleField = lazyPart(async () => (await import('./SaleField.tsx')).SaleField)

// Server-rendered as well. Static parts do not render again until their chunk has loaded.
const field = (
  <Suspense fallback={<Skeleton className="aspect-528/207 desk:aspect-1063/100" />}>
    <SaleField />
  </Suspense>
)

/** The offer in one line, the field with live numbers, price, countdown or Buy. */
export function VisitorView() {
  const sale = useSale()
  return (
    <div>
      <div className="grid items-end gap-6 md:grid-cols-[1fr_340px] md:gap-10">
        <div className="md:pb-2">
          <h1 className="text-28 font-strong desk:text-40">
            <span className="inline-block">{t('Own a node.')}</span>{' '}
            <span className="inline-block">{t('Earn XCR every day.')}</span>
          </h1>
          <p className="mt-3 max-w-[44ch] text-16 text-ink-10 text-pretty desk:text-20">
            <T
              text="{price} USDT per node. Each earns {reward} XCR a day, paid at 09:00 UTC."
              price={<span translate="no">{formatAmount(sale.nodePrice)}</span>}
              reward={<span translate="no">{sale.settings.xcr_per_node_daily}</span>}
            />
          </p>
        </div>
        <SaleCard sale={sale} />
      </div>

      <section aria-label={t('Latest sales')} className="mt-8 desk:mt-12">
        {field}
      </section>

      <div className="mt-8 grid gap-4 desk:mt-10 md:grid-cols-[1fr_2fr]">
        <Stat title={t('Total Available Nodes')} figure={formatCount(sale.totalLimit)} caption={t('Limited Edition')} />
        <SalesStatus sale={sale} />
      </div>
    </div>
  )
}

function SalesStatus({ sale }: { sale: Sale }) {
  return (
    <section className="rounded-card border border-ink-5 bg-surface p-4 desk:p-6">
      <h2 className="text-14 text-ink-10">{t('Node Sales Status')}</h2>
      <dl className="mt-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,7rem),1fr))] gap-4">
        <Figure name={t('Total Sold')} figure={sale.totalSold} />
        <Figure name={t('Remaining')} figure={sale.remaining} />
      </dl>
      <SoldParts />
    </section>
  )
}

/** The label follows its figure visually but precedes it for screen readers. */
function Figure({ name, figure }: { name: string; figure: number }) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="mt-1 text-14 text-ink-9">{name}</dt>
      <dd className="figures text-28 font-strong">{formatCount(figure)}</dd>
    </div>
  )
}
