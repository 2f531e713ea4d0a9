import { useQuery } from '@tanstack/react-query'
import clsx from 'clsx'
import { ChevronDown } from '#pwa/ui/icons.ts'
import { useState } from 'react'
import { formatAmount } from '#shared/amount.ts'
import { t } from '#pwa/i18n/t.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { Segmented } from '#pwa/ui/Segmented.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { countNodes } from '../countNodes.ts'
import { ListError } from '../lists/ListError.tsx'
import { DayChart } from './DayChart.tsx'
import { adminChartsQuery, type ChartSpan, chartSpans } from './queries.ts'
import { SupplyChart } from './SupplyChart.tsx'

const OPEN_KEY = 'admin_charts_open'

/** Collapsed at first; the data is fetched when it is first opened. */
export function Charts() {
  const [isOpen, setOpen] = useState(() => localStorage.getItem(OPEN_KEY) === 'true')
  function toggle() {
    localStorage.setItem(OPEN_KEY, String(!isOpen))
    setOpen(!isOpen)
  }
  return (
    <div className="mt-2 sm:mt-3">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className="inline-flex min-h-11 items-center gap-1.5 rounded-small text-14 font-strong text-ink-10 hover:text-ink-12"
      >
        <ChevronDown size={16} aria-hidden className={clsx('transition-transform', !isOpen && '-rotate-90')} /> {t('Charts')}
      </button>
      {isOpen && <OpenCharts />}
    </div>
  )
}

const usdt = (value: bigint) => `${formatAmount(value, { grouped: true, maxDecimals: 2 })} USDT`
const xcr = (value: bigint) => `${formatAmount(value, { grouped: true, maxDecimals: 2 })} XCR`
const nodes = (count: bigint) => countNodes(Number(count))

function OpenCharts() {
  const [days, setDays] = useState<ChartSpan>('30')
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(adminChartsQuery(days))
  return (
    <div className="mt-1 animate-appear">
      <div className="mb-3 max-w-72">
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
            <Skeleton key={card} className="h-44 rounded-card" />
          ))}
        </div>
      )}
      {!error && data && (
        <div className={clsx('grid gap-2 transition-opacity sm:gap-4 lg:grid-cols-2', isPlaceholderData && 'opacity-60')}>
          <Card className="sm:p-5!">
            <DayChart
              title={t('Nodes sold per day')}
              days={data.sales.map(({ date }) => date)}
              up={{ name: t('Nodes sold'), values: data.sales.map((day) => BigInt(day.nodes)), format: nodes }}
            />
          </Card>
          <Card className="sm:p-5!">
            <DayChart
              title={t('Revenue per day')}
              days={data.sales.map(({ date }) => date)}
              up={{ name: t('Revenue'), values: data.sales.map(({ revenueUsdt }) => revenueUsdt), format: usdt }}
            />
          </Card>
          <Card className="sm:p-5!">
            <DayChart
              title={t('Rewards and withdrawals per day')}
              days={data.xcr.map(({ date }) => date)}
              up={{ name: t('Rewarded'), values: data.xcr.map(({ rewarded }) => rewarded), format: xcr }}
              down={{ name: t('Withdrawn'), values: data.xcr.map(({ withdrawn }) => withdrawn), format: xcr }}
            />
          </Card>
          <Card className="sm:p-5!">
            <SupplyChart {...data.supply} />
          </Card>
        </div>
      )}
    </div>
  )
}
