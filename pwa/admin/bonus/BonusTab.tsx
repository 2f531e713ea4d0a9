import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  BONUS_ROWS_PER_PAGE,
  type BonusFilter,
  bonusFilters,
  type BonusSort,
  bonusSorts,
  exportBonus,
  assignBonus,
  grantDueBonus,
} from '#shared/contract/admin/bonus.ts'
import { type Message, msg, t, translate } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Card } from '#pwa/ui/Card.tsx'
import { ForRole } from '../ForRole.tsx'
import { EmailSearch } from '../lists/EmailSearch.tsx'
import { ExportLinks } from '../lists/ExportLinks.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListFilters } from '../lists/ListFilters.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { StatusFilter } from '../lists/StatusFilter.tsx'
import { Summary } from '../lists/Summary.tsx'
import { queryOf, useListParams } from '../lists/useListParams.ts'
import { BonusTable } from './BonusTable.tsx'
import { DueBonusDialog } from './DueBonusDialog.tsx'
import { GrantBonusForm } from './GrantBonusForm.tsx'
import { bonusStatusQuery } from './queries.ts'

/** Pending bonus nodes and the forms that grant them. */
export function BonusTab() {
  const { email, status, sort, filter, page, isFiltered, search, narrow, goTo } = useListParams({
    statuses: bonusFilters,
    sorts: bonusSorts,
  })
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(bonusStatusQuery({ email, status, sort, page }))
  const [isGranting, setGranting] = useState(false)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_320px]">
      <section aria-labelledby="bonus-title" className="min-w-0">
        <header className="mb-4 flex flex-wrap items-center justify-between gap-2">
          <h2 id="bonus-title" className="text-16 font-strong">
            {t('Bonus status')}
          </h2>
          <div className="flex gap-2">
            <ForRole of={grantDueBonus}>
              <Button onClick={() => setGranting(true)}>{t('Grant all due')}</Button>
            </ForRole>
            <RefreshButton what={t('bonus status')} isFetching={isFetching} onRefresh={() => void refetch()} />
          </div>
        </header>
        <div className="flex flex-wrap items-start justify-between gap-2">
          <div className="flex flex-wrap gap-2 max-sm:w-full">
            <StatusFilter
              value={status}
              options={bonusFilters.map((value) => ({ value, label: translate(filterNames[value]) }))}
              onChange={(next) => narrow({ status: next })}
            />
            <EmailSearch email={email} onSearch={search} isPending={isFetching} />
          </div>
          <div className="flex flex-wrap gap-2 max-sm:w-full">
            <ExportLinks
              call={exportBonus}
              query={{ ...(email && { email }), ...queryOf(filter, 'UTC') }}
              label={t('Excel download')}
            />
          </div>
        </div>
        <ListFilters
          filter={filter}
          zone="UTC"
          hasDates={false}
          sorts={bonusSorts.map((value) => ({ value, label: translate(sortNames[value]) }))}
          onChange={({ sort: next }) => narrow({ sort: bonusSorts.find((one) => one === next) ?? null })}
        />
        {error && (
          <ListError
            title={t('Failed to fetch bonus status')}
            error={error}
            isFetching={isFetching}
            onRetry={() => void refetch()}
          />
        )}
        {!error && !data && <ListSkeleton what={t('bonus status')} />}
        {!error && data && (
          <>
            {isFiltered && data.summary && (
              <Summary
                figures={[
                  [t('Users'), formatCount(data.summary.count)],
                  [t('Paid nodes'), formatCount(data.summary.paidNodes)],
                  [t('Received'), formatCount(data.summary.bonusReceived)],
                  [t('Pending'), formatCount(data.summary.bonusPending)],
                ]}
              />
            )}
            {data.users.length === 0 ? (
              <Card className="py-12 text-center text-ink-10">
                {data.totalCount > 0
                  ? t('This page is empty.')
                  : t(isFiltered ? 'No user matches this filter.' : 'No users yet.')}
              </Card>
            ) : (
              <BonusTable rows={data.users} isBusy={isPlaceholderData} />
            )}
            <Pager what={t('users')} page={page} pageSize={BONUS_ROWS_PER_PAGE} paging={data} onPage={goTo} />
          </>
        )}
      </section>
      <ForRole of={assignBonus}>
        <GrantBonusForm />
      </ForRole>
      {isGranting && <DueBonusDialog onClose={() => setGranting(false)} />}
    </div>
  )
}

const filterNames: Record<BonusFilter, Message> = {
  pending: msg('Pending'),
  done: msg('Done'),
  not_applicable: msg('Not applicable'),
}

const sortNames: Record<BonusSort, Message> = {
  pending: msg('Most pending first'),
  paid: msg('Most paid nodes first'),
  received: msg('Most received first'),
}
