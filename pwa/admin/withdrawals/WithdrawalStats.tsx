import { type ReactNode, useState } from 'react'
import type { listAdminWithdrawals } from '#shared/contract/admin/withdrawals.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { Tabs } from '#pwa/ui/Tabs.tsx'
import { Bilingual } from './Bilingual.tsx'

type Stats = Pick<Output<typeof listAdminWithdrawals>, 'dailyStats' | 'totalStats'>

/** Number of days shown, of the thirty that are fetched. */
const DAYS_SHOWN = 6

/** Withdrawals per day and in total. Failed withdrawals are not counted; a search does not filter them. */
export function WithdrawalStats({ stats, isLoading }: { stats: Stats | undefined; isLoading: boolean }) {
  const [tab, setTab] = useState<'daily' | 'total'>('daily')
  return (
    <Card className="pt-1! pb-4! sm:px-4!">
      <Tabs
        label={t('Withdrawal statistics')}
        value={tab}
        onValueChange={setTab}
        tabs={[
          {
            value: 'daily',
            label: <Bilingual ko="일별" en="Daily" />,
            content: <Shown isLoading={isLoading}>{stats && <Daily days={stats.dailyStats} />}</Shown>,
          },
          {
            value: 'total',
            label: <Bilingual ko="누적" en="Total" />,
            content: <Shown isLoading={isLoading}>{stats && <Total {...stats.totalStats} />}</Shown>,
          },
        ]}
      />
    </Card>
  )
}

const Shown = ({ isLoading, children }: { isLoading: boolean; children: ReactNode }) => (
  <div className="-mt-2 min-h-14">
    {isLoading ? (
      <div role="status">
        <span className="sr-only">{t('Loading the statistics')}</span>
        <Skeleton className="h-16" />
      </div>
    ) : (
      (children ?? (
        <p className="py-4 text-14 text-ink-10">
          <Bilingual ko="통계를 불러올 수 없습니다." en="Statistics are not available." />
        </p>
      ))
    )}
  </div>
)

function Daily({ days }: { days: Stats['dailyStats'] }) {
  if (days.length === 0)
    return (
      <p className="py-4 text-14 text-ink-10">
        <Bilingual ko="최근 30일간 출금이 없습니다." en="No withdrawals in the last 30 days." />
      </p>
    )
  return (
    <ol className="text-14 max-md:divide-y max-md:divide-ink-5 md:grid md:grid-cols-3 md:gap-x-6 md:gap-y-4 lg:grid-cols-6">
      {days.slice(0, DAYS_SHOWN).map(({ date, totalAmount, totalCount }) => (
        <li key={date} className="flex items-baseline justify-between gap-3 max-md:py-2 md:block">
          <time dateTime={date} className="figures block text-12 text-ink-9">
            {date} UTC
          </time>
          <span className="text-right md:text-left">
            <Amount value={totalAmount} unit="XCR" size={14} maxDecimals={2} className="font-strong" />
            <span className="figures block text-12 text-ink-9">
              <Count count={totalCount} />
            </span>
          </span>
        </li>
      ))}
    </ol>
  )
}

const Total = ({ totalAmount, totalCount }: Stats['totalStats']) => (
  <dl className="flex flex-wrap gap-x-12 gap-y-3">
    <div>
      <dt className="text-12 text-ink-9">
        <Bilingual ko="누적 출금액" en="Cumulative amount, all users" />
      </dt>
      <dd>
        <Amount value={totalAmount} unit="XCR" size={20} maxDecimals={2} />
      </dd>
    </div>
    <div>
      <dt className="text-12 text-ink-9">
        <Bilingual ko="누적 건수" en="Cumulative count" />
      </dt>
      <dd className="figures text-20 font-strong">
        {formatCount(totalCount)}{' '}
        <span lang="ko" className="text-14 font-normal text-ink-9">
          건
        </span>
      </dd>
    </div>
  </dl>
)

/** 12건: the Korean counter word. */
const Count = ({ count }: { count: number }) => (
  <>
    {formatCount(count)}
    <span lang="ko">건</span> <span className="sr-only">{t('withdrawals')}</span>
  </>
)
