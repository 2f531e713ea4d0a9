import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { useCurrentLanguage } from '#pwa/i18n/language.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { ListError } from '../lists/ListError.tsx'
import { FigureCard } from './FigureCard.tsx'
import { adminStatsQuery } from './queries.ts'
import { VestingStat } from './VestingStat.tsx'

/**
 * The four figures above the tabs.
 * Memoized: a render during logout would refetch the data that was just cleared. It therefore follows the language itself.
 */
export const PanelFigures = memo(function PanelFigures() {
  useCurrentLanguage()
  const { data: stats, error, isFetching, refetch } = useQuery(adminStatsQuery)
  return (
    <section aria-label={t('Figures')} className="mb-2 sm:mb-4">
      {error && !stats && (
        <ListError
          title={t('Failed to fetch admin stats')}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!error && !stats && <FiguresSkeleton />}
      {stats && (
        <div className="grid grid-cols-2 gap-2 sm:gap-4 lg:grid-cols-4">
          <FigureCard title={t('Total users')} figure={formatCount(stats.totalUsers)} />
          <FigureCard
            title={t('Total nodes')}
            figure={formatCount(stats.totalNodesSold)}
            caption={t('{sold} sold, {bonus} bonus given', { sold: stats.paidNodesSold, bonus: stats.bonusNodesGiven })}
          />
          <FigureCard
            title={t('Total revenue')}
            figure={<Amount value={stats.totalRevenue} unit="USDT" size="medium" maxDecimals={2} />}
          />
          <VestingStat startDate={stats.vestingStartDate} />
        </div>
      )}
    </section>
  )
})

const FiguresSkeleton = () => (
  <div role="status" className="grid grid-cols-2 gap-2 sm:gap-4 lg:grid-cols-4">
    <span className="sr-only">{t('Loading the figures')}</span>
    {[1, 2, 3, 4].map((card) => (
      <Skeleton key={card} className="h-31 rounded-card nth-[n+4]:h-46 sm:nth-[n+4]:h-31" />
    ))}
  </div>
)
