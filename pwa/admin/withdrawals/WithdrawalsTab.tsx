import { useQuery } from '@tanstack/react-query'
import { rowSorts } from '#shared/contract/admin/filters.ts'
import {
  exportWithdrawals,
  type WithdrawalFilter,
  withdrawalFilters,
  WITHDRAWALS_PER_PAGE,
} from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { TruncatedNotice } from '../lists/TruncatedNotice.tsx'
import { EmailSearch } from '../lists/EmailSearch.tsx'
import { ExportLinks } from '../lists/ExportLinks.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListFilters } from '../lists/ListFilters.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { NewRows } from '../lists/NewRows.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { rowSortOptions } from '../lists/rowSorts.ts'
import { StatusFilter } from '../lists/StatusFilter.tsx'
import { Summary } from '../lists/Summary.tsx'
import { queryOf, useListParams } from '../lists/useListParams.ts'
import { zoneOf } from '../zone/officeZone.ts'
import { Bilingual, bilingualText } from './Bilingual.tsx'
import { adminWithdrawalsQuery, countWithdrawals, type WithdrawalPlace, withdrawalSummaryQuery } from './queries.ts'
import { PayoutStop } from './PayoutStop.tsx'
import { WithdrawalStats } from './WithdrawalStats.tsx'
import { WithdrawalTable } from './WithdrawalTable.tsx'

export function WithdrawalsTab() {
  const { email, status, filter, page, isFiltered, search, narrow, goTo } = useListParams({
    statuses: withdrawalFilters,
    sorts: rowSorts,
  })
  const zone = zoneOf('Asia/Seoul')
  const place = { email, filter, zone, page }
  const query = adminWithdrawalsQuery(place)
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery(query)
  const { data: config } = useQuery(configQuery)
  return (
    <>
      <WithdrawalStats stats={error ? undefined : data} isLoading={!data && !error} />
      <PayoutStop />
      <div className="mt-6 flex flex-wrap items-start justify-between gap-2">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <StatusFilter
            value={status}
            options={withdrawalFilters.map((value) => ({ value, label: bilingualText(filterLabels[value]) }))}
            onChange={(next) => narrow({ status: next })}
          />
          <EmailSearch email={email} onSearch={search} isPending={isFetching} />
        </div>
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <ExportLinks
            call={exportWithdrawals}
            query={{ ...(email && { email }), ...queryOf(filter, zone) }}
            title={t(isFiltered ? 'Every withdrawal that matches' : 'Every withdrawal')}
            label={<Bilingual ko="전체 다운로드" en="Download all" />}
          />
          <RefreshButton what={t('withdrawals')} isFetching={isFetching} onRefresh={() => void refetch()} />
        </div>
      </div>
      <ListFilters
        filter={filter}
        zone={zone}
        unit="XCR"
        sorts={rowSortOptions()}
        onChange={(next) => narrow(next as Parameters<typeof narrow>[0])}
      />
      {error && (
        <ListError
          title={t('Failed to fetch withdrawals')}
          error={error}
          isFetching={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!error && !data && <ListSkeleton what={t('withdrawals')} />}
      {!error && data && (
        <>
          <NewRows
            listKey={query.queryKey}
            fetchedAt={dataUpdatedAt}
            totalCount={data.totalCount}
            count={(signal) => countWithdrawals(place, signal)}
            onShow={() => void refetch()}
          />
          {isFiltered && <WithdrawalSummary place={place} />}
          {data.isCut && <TruncatedNotice isOfRows={!email} />}
          {data.withdrawals.length === 0 ? (
            <Card className="py-12 text-center text-ink-11">
              <EmptyText email={email} status={status} isFiltered={isFiltered} totalCount={data.totalCount} />
            </Card>
          ) : (
            <WithdrawalTable
              zone={zone}
              withdrawals={data.withdrawals}
              isBusy={isPlaceholderData}
              explorerUrl={config?.rewardChain.explorerUrl}
            />
          )}
          <Pager what={t('withdrawals')} page={page} pageSize={WITHDRAWALS_PER_PAGE} paging={data} onPage={goTo} />
        </>
      )}
    </>
  )
}

const filterLabels: Record<WithdrawalFilter, { ko: string; en: string }> = {
  waiting: { ko: '결정 대기', en: 'Only waiting' },
  held: { ko: '보류중', en: 'On hold' },
  pending: { ko: '대기중', en: 'Pending' },
  processing: { ko: '처리중', en: 'Processing' },
  completed: { ko: '완료', en: 'Completed' },
  failed: { ko: '실패', en: 'Failed' },
}

function WithdrawalSummary({ place }: { place: WithdrawalPlace }) {
  const { data } = useQuery(withdrawalSummaryQuery(place))
  if (!data) return null
  return (
    <Summary
      figures={[
        [t('Withdrawals'), formatCount(data.count)],
        [t('Amount'), <Amount key="amount" value={data.amount} unit="XCR" size={20} maxDecimals={2} />],
        [t('Fees'), <Amount key="fees" value={data.fees} unit="XCR" size={20} maxDecimals={2} />],
      ]}
    />
  )
}

interface Empty {
  email: string
  status: WithdrawalFilter | null
  isFiltered: boolean
  totalCount: number
}

function EmptyText({ email, status, isFiltered, totalCount }: Empty) {
  if (totalCount > 0) return <Bilingual ko="이 페이지는 비어 있습니다." en="This page is empty." />
  if (email) return <Bilingual ko="검색 결과가 없습니다." en={`No withdrawals found for “${email}”.`} />
  if (status === 'waiting') return <Bilingual ko="결정을 기다리는 출금이 없습니다." en="No withdrawal waits for a decision." />
  if (status) return <Bilingual ko="이 상태의 출금이 없습니다." en="No withdrawals with this status." />
  if (isFiltered) return <Bilingual ko="이 조건의 출금이 없습니다." en="No withdrawal matches this filter." />
  return <Bilingual ko="출금 내역이 없습니다." en="No withdrawals yet." />
}
