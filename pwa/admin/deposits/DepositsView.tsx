import { useQuery } from '@tanstack/react-query'
import { depositFilters, DEPOSITS_PER_PAGE, exportDeposits } from '#shared/contract/admin/deposits.ts'
import { rowSorts } from '#shared/contract/admin/filters.ts'
import { t, translate } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Amount } from '#pwa/ui/Amount.tsx'
import { Card } from '#pwa/ui/Card.tsx'
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
import { DepositTable } from './DepositTable.tsx'
import { depositReasons, reasonNames, stateNames } from './depositWords.ts'
import { countDeposits, depositsQuery } from './queries.ts'

/** All deposits, in every state. Decisions about those in review are made in the tab of purchases. */
export function DepositsView() {
  const { email, filter, page, isFiltered, search, narrow, goTo } = useListParams({
    statuses: depositFilters,
    kinds: depositReasons,
    sorts: rowSorts,
  })
  const zone = zoneOf()
  const place = { search: email, filter, zone, page }
  const query = depositsQuery(place)
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery(query)
  return (
    <section aria-labelledby="deposits">
      <header className="mb-4 flex items-center justify-between gap-2">
        <div>
          <h2 id="deposits" className="text-20 font-strong">
            {t('Deposits')}
          </h2>
          <p className="mt-0.5 text-14 text-ink-10">{t('Every transfer of USDT to us, whatever became of it.')}</p>
        </div>
        <RefreshButton what={t('deposits')} isFetching={isFetching} onRefresh={() => void refetch()} />
      </header>
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <StatusFilter
            value={filter.status}
            options={depositFilters.map((value) => ({ value, label: translate(stateNames[value]) }))}
            onChange={(status) => narrow({ status })}
          />
          <EmailSearch email={email} onSearch={search} isPending={isFetching} label={t('Search by email, sender or hash')} />
        </div>
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <ExportLinks
            call={exportDeposits}
            query={{ ...(email && { search: email }), ...queryOf(filter, zone) }}
            label={t('Excel download')}
          />
        </div>
      </div>
      <ListFilters
        filter={filter}
        zone={zone}
        unit="USDT"
        kinds={{
          label: t('Reason'),
          options: depositReasons.map((value) => ({ value, label: translate(reasonNames[value]) })),
        }}
        sorts={rowSortOptions()}
        onChange={(next) => narrow(next as Parameters<typeof narrow>[0])}
      />
      {error && (
        <ListError title={t('Failed to fetch deposits')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && <ListSkeleton what={t('deposits')} />}
      {!error && data && (
        <>
          <NewRows
            listKey={query.queryKey}
            fetchedAt={dataUpdatedAt}
            totalCount={data.totalCount}
            count={(signal) => countDeposits(place, signal)}
            onShow={() => void refetch()}
          />
          {data.summary && (
            <Summary
              figures={[
                [t('Deposits'), formatCount(data.summary.count)],
                [t('Amount'), <Amount key="amount" value={data.summary.amount} unit="USDT" size={20} />],
                [t('Refunded'), <Amount key="refunded" value={data.summary.refunded} unit="USDT" size={20} />],
              ]}
            />
          )}
          {data.deposits.length === 0 ? (
            <Card className="py-12 text-center [overflow-wrap:anywhere] text-ink-10">
              {data.totalCount > 0
                ? t('This page is empty.')
                : t(isFiltered ? 'No deposit matches this filter.' : 'No deposits yet.')}
            </Card>
          ) : (
            <DepositTable deposits={data.deposits} isBusy={isPlaceholderData} zone={zone} />
          )}
          <Pager what={t('deposits')} page={page} pageSize={DEPOSITS_PER_PAGE} paging={data} onPage={goTo} />
        </>
      )}
    </section>
  )
}
