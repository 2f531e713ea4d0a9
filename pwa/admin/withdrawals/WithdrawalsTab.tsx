import { useQuery } from '@tanstack/react-query'
import { Download } from '#pwa/ui/icons.ts'
import { exportWithdrawals, WITHDRAWALS_PER_PAGE } from '#shared/contract/admin/withdrawals.ts'
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
import { useListParams } from '../lists/useListParams.ts'
import { Bilingual } from './Bilingual.tsx'
import { adminWithdrawalsQuery } from './queries.ts'
import { WithdrawalStats } from './WithdrawalStats.tsx'
import { WithdrawalTable } from './WithdrawalTable.tsx'

export function WithdrawalsTab() {
  const { email, page, search, goTo } = useListParams()
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(adminWithdrawalsQuery({ email, page }))
  const { data: config } = useQuery(configQuery)
  return (
    <>
      <WithdrawalStats stats={error ? undefined : data} isLoading={!data && !error} />
      <div className="mt-6 mb-4 flex flex-wrap items-start justify-between gap-2">
        <EmailSearch email={email} onSearch={search} isPending={isFetching} />
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
          {data.isCut && <TruncatedNotice />}
          {data.withdrawals.length === 0 ? (
            <Card className="py-12 text-center text-ink-11">
              <EmptyText email={email} totalCount={data.totalCount} />
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

function EmptyText({ email, totalCount }: { email: string; totalCount: number }) {
  if (totalCount > 0) return <Bilingual ko="이 페이지는 비어 있습니다." en="This page is empty." />
  if (email) return <Bilingual ko="검색 결과가 없습니다." en={`No withdrawals found for “${email}”.`} />
  return <Bilingual ko="출금 내역이 없습니다." en="No withdrawals yet." />
}
