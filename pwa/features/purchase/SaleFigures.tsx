import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { nodeStatsQuery } from '#pwa/lib/queries.ts'
import type { Sale } from '#pwa/lib/useSale.ts'
import { TryAgain } from '#pwa/ui/TryAgain.tsx'
import { NodeField } from '#pwa/ui/NodeField.tsx'
import { ProgressBar } from '#pwa/ui/ProgressBar.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { SoldParts } from '#pwa/ui/SoldParts.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'

const Notice = lazyPart(async () => (await import('#pwa/ui/Notice.tsx')).Notice)

/** Two decimals, so that the first sales do not show as 0 %. */
const formatRate = (percent: number): string => `${percent.toFixed(2).replace(/\.?0+$/, '')}%`

/** The progress of the sale, with the nodes about to be bought highlighted. */
export function SaleFigures({ sale, mine, quantity }: { sale: Sale; mine: readonly number[]; quantity: number }) {
  const { totalLimit, totalSold, remaining, progress, isLoading } = sale
  const figures = [
    { label: t('Remaining'), value: formatCount(remaining) },
    { label: t('Sold'), value: formatCount(totalSold) },
    { label: t('Sales rate'), value: formatRate(progress) },
  ]
  return (
    <section aria-label={t('The sale so far')}>
      <NodeField total={totalLimit} sold={totalSold} mine={mine} about={Math.min(quantity, remaining)} />
      <dl className="mt-5 mb-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,4.5rem),1fr))] gap-3">
        {figures.map(({ label, value }) => (
          <div key={label}>
            <dt className="text-14 text-ink-9">{label}</dt>
            <dd className="figures text-20 font-strong">{isLoading ? <Skeleton className="mt-1 h-6 w-20" /> : value}</dd>
          </div>
        ))}
      </dl>
      <ProgressBar value={progress} label={t('Sales rate')} valueText={t('{rate} sold', { rate: formatRate(progress) })} />
      <SoldParts />
      <div className="not-empty:mt-4">
        <FiguresError />
      </div>
    </section>
  )
}

/** Says that the figures are defaults, because the server has not answered. */
function FiguresError() {
  const { isLoadingError, isFetching, refetch } = useQuery(nodeStatsQuery)
  if (!isLoadingError) return null
  return (
    <Suspense fallback={null}>
      <Notice
        tone="warning"
        title={t("Couldn't load the sale figures")}
        action={<TryAgain isTrying={isFetching} onPress={() => void refetch()} />}
      >
        {t('More may have been sold than shown. You will see the price before you pay.')}
      </Notice>
    </Suspense>
  )
}
