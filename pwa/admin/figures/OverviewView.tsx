import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Segmented } from '#pwa/ui/Segmented.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { countNodes } from '../countNodes.ts'
import { ListError } from '../lists/ListError.tsx'
import { DayChart } from './DayChart.tsx'
import { adminChartsQuery, type ChartSpan, chartSpans } from './queries.ts'
import { SupplyChart } from './SupplyChart.tsx'

const usdt = (value: bigint) => `${formatAmount(value, { grouped: true, maxDecimals: 2 })} USDT`
const xcr = (value: bigint) => `${formatAmount(value, { grouped: true, maxDecimals: 2 })} XCR`
const nodes = (count: bigint) => countNodes(Number(count))
const amountTick = (value: bigint) => formatAmount(value, { grouped: true, maxDecimals: 2 })
const countTick = (value: bigint) => formatCount(Number(value))

/** The place of the charts: daily figures of the sale and of XCR, each with its table. */
export function OverviewView() {
  const [days, setDays] = useState<ChartSpan>('30')
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(adminChartsQuery(days))
  return (
    <section aria-labelledby="overview">
      <header className="mb-4">
        <h2 id="overview" className="text-20 font-strong">
          {t('Overview')}
        </h2>
        <p className="mt-0.5 text-14 text-ink-10">{t('Daily figures. Days are those of UTC, as in the books.')}</p>
      </header>
      <div className="mb-4 max-w-72">
        <Segmented
          label={t('Days shown')}
          value={days}
          onChange={setDays}
          options={chartSpans.map((value) => ({ value, label: t('{count} days', { count: Number(value) }) }))}
        />
      </div>
      {error && (
        <ListError title={t('Failed to fetch charts')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && (
        <div role="status" className="grid gap-2 sm:gap-4 lg:grid-cols-2">
          <span className="sr-only">{t('Loading the charts')}</span>
          {[1, 2, 3, 4].map((card) => (
            <Skeleton key={card} className="h-72 rounded-card" />
          ))}
        </div>
      )}
      {!error && data && (
        <div className={clsx('grid gap-2 transition-opacity sm:gap-4 lg:grid-cols-2', isPlaceholderData && 'opacity-60')}>
          <Card className="sm:p-5!">
            <DayChart
              title={t('Nodes sold per day')}
              unit={t('nodes')}
              formatTick={countTick}
              days={data.sales.map(({ date }) => date)}
              up={{ name: t('Nodes sold'), values: data.sales.map((day) => BigInt(day.nodes)), format: nodes }}
            />
          </Card>
          <Card className="sm:p-5!">
            <DayChart
              title={t('Revenue per day')}
              unit="USDT"
              formatTick={amountTick}
              days={data.sales.map(({ date }) => date)}
              up={{ name: t('Revenue'), values: data.sales.map(({ revenueUsdt }) => revenueUsdt), format: usdt }}
            />
          </Card>
          <Card className="sm:p-5!">
            <DayChart
              title={t('Rewards and withdrawals per day')}
              unit="XCR"
              formatTick={amountTick}
              days={data.xcr.map(({ date }) => date)}
              up={{ name: t('Rewarded'), values: data.xcr.map(({ rewarded }) => rewarded), format: xcr }}
              down={{ name: t('Withdrawn or requested'), values: data.xcr.map(({ withdrawn }) => withdrawn), format: xcr }}
            />
          </Card>
          <Card className="sm:p-5!">
            <SupplyChart {...data.supply} />
          </Card>
        </div>
      )}
    </section>
  )
}
