import { useQuery } from '@tanstack/react-query'
import { Download } from '#pwa/ui/icons.ts'
import {
  exportWithdrawals,
  type WithdrawalFilter,
  withdrawalFilters,
  WITHDRAWALS_PER_PAGE,
} from '#shared/contract/admin/withdrawals.ts'
import { t } from '#pwa/i18n/t.ts'
import { configQuery } from '#pwa/lib/queries.ts'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { TruncatedNotice } from '../lists/TruncatedNotice.tsx'
import { EmailSearch } from '../lists/EmailSearch.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { StatusFilter } from '../lists/StatusFilter.tsx'
import { useListParams } from '../lists/useListParams.ts'
import { Bilingual, bilingualText } from './Bilingual.tsx'
import { adminWithdrawalsQuery } from './queries.ts'
import { WithdrawalStats } from './WithdrawalStats.tsx'
import { WithdrawalTable } from './WithdrawalTable.tsx'

export function WithdrawalsTab() {
  const { email, status, page, search, filter, goTo } = useListParams(withdrawalFilters)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(adminWithdrawalsQuery({ email, status, page }))
  const { data: config } = useQuery(configQuery)
  return (
    <>
      <WithdrawalStats stats={error ? undefined : data} isLoading={!data && !error} />
      <div className="mt-6 mb-4 flex flex-wrap items-start justify-between gap-2">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <StatusFilter
            value={status}
            options={withdrawalFilters.map((value) => ({ value, label: bilingualText(filterLabels[value]) }))}
            onChange={filter}
          />
          <EmailSearch email={email} onSearch={search} isPending={isFetching} />
        </div>
        <div className="flex gap-2 max-sm:w-full">
          <a
            href={`${exportWithdrawals.path}${email && `?${new URLSearchParams({ email })}`}`}
            target="_blank"
            rel="noreferrer"
            title={email ? t('Every withdrawal whose email contains {email}', { email }) : t('Every withdrawal')}
            className={buttonClass({ variant: 'secondary', className: 'max-sm:flex-1' })}
          >
            <Download size={16} aria-hidden />
            <Bilingual ko="전체 다운로드" en="Download all" />
          </a>
          <RefreshButton what={t('withdrawals')} isFetching={isFetching} onRefresh={() => void refetch()} />
        </div>
      </div>
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
          {data.isCut && <TruncatedNotice isOfRows={!email} />}
          {data.withdrawals.length === 0 ? (
            <Card className="py-12 text-center text-ink-11">
              <EmptyText email={email} status={status} totalCount={data.totalCount} />
            </Card>
          ) : (
            <WithdrawalTable
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

function EmptyText({ email, status, totalCount }: { email: string; status: WithdrawalFilter | null; totalCount: number }) {
  if (totalCount > 0) return <Bilingual ko="이 페이지는 비어 있습니다." en="This page is empty." />
  if (email) return <Bilingual ko="검색 결과가 없습니다." en={`No withdrawals found for “${email}”.`} />
  if (status === 'waiting') return <Bilingual ko="결정을 기다리는 출금이 없습니다." en="No withdrawal waits for a decision." />
  if (status) return <Bilingual ko="이 상태의 출금이 없습니다." en="No withdrawals with this status." />
  return <Bilingual ko="출금 내역이 없습니다." en="No withdrawals yet." />
}
