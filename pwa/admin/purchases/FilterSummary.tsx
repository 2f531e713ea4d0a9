import type { Output } from '#shared/contract/endpoint.ts'
import type { listAdminPurchases } from '#shared/contract/admin/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'

/** Totals over all purchases that match the filter, not only those on this page. */
export function FilterSummary({ summary }: { summary: NonNullable<Output<typeof listAdminPurchases>['summary']> }) {
  const figures = [
    [t('Purchases'), summary.purchaseCount],
    [t('Paid nodes'), summary.paidNodes],
    [t('Bonus nodes'), summary.bonusNodes],
    [t('Total nodes'), summary.totalNodes],
  ] as const
  return (
    <dl
      aria-label={t('Summary of the filter')}
      className="mb-4 grid grid-cols-2 gap-px overflow-hidden rounded-card border border-ink-5 bg-ink-5 desk:grid-cols-4"
    >
      {figures.map(([name, count]) => (
        <div key={name} className="bg-surface px-4 py-2.5">
          <dt className="text-12 text-ink-9">{name}</dt>
          <dd className="figures text-20 font-strong">{formatCount(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
