import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rowSorts } from '#shared/contract/admin/filters.ts'
import {
  downloadPurchases,
  type PurchaseFilter,
  purchaseFilters,
  purchaseKinds,
  PURCHASES_PER_PAGE,
} from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { presentStatus } from '#pwa/lib/presentStatus.ts'
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
import { queryOf, useListParams } from '../lists/useListParams.ts'
import { zoneOf } from '../zone/officeZone.ts'
import { CancelPurchaseDialog } from './CancelPurchaseDialog.tsx'
import { ConfirmPurchaseDialog } from './ConfirmPurchaseDialog.tsx'
import { FilterSummary } from './FilterSummary.tsx'
import { PurchaseTable } from './PurchaseTable.tsx'
import { countPurchases, purchasesQuery } from './queries.ts'
import { ReviewStrip } from './ReviewStrip.tsx'

/** The cases to review, and all purchases below them. */
export function PurchasesTab() {
  const { email, status, filter, page, isFiltered, search, narrow, goTo } = useListParams({
    statuses: purchaseFilters,
    kinds: purchaseKinds,
    sorts: rowSorts,
  })
  const zone = zoneOf()
  const place = { email, filter, zone, page }
  const query = purchasesQuery(place)
  const { data, error, isFetching, isPlaceholderData, dataUpdatedAt, refetch } = useQuery(query)
  const [question, setQuestion] = useState<{ about: 'confirm' | 'cancel'; purchase: Purchase } | null>(null)
  const close = () => setQuestion(null)

  return (
    <>
      {/* Who follows a link to what waits sees all of it at once. */}
      <ReviewStrip key={status === 'waiting' ? 'all' : 'urgent'} isInitiallyOpen={status === 'waiting'} />
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <StatusFilter
            value={status}
            options={purchaseFilters.map((value) => ({
              value,
              label: value === 'waiting' ? t('Only waiting') : presentStatus(value).word,
            }))}
            onChange={(next) => narrow({ status: next })}
          />
          <EmailSearch
            email={email}
            onSearch={search}
            isPending={isFetching}
            searchLabel={t('Filter')}
            clearLabel={t('Clear filter')}
          />
        </div>
        <div className="flex gap-2 max-desk:w-full">
          <ExportLinks
            call={downloadPurchases}
            query={{ ...(email && { email }), ...queryOf(filter, zone) }}
            label={t('Excel download')}
          />
          <RefreshButton what={t('purchases')} isFetching={isFetching} onRefresh={() => void refetch()} />
        </div>
      </div>
      <ListFilters
        filter={filter}
        zone={zone}
        unit="USDT"
        kinds={{
          label: t('Kind'),
          options: [
            { value: 'paid', label: t('Paid') },
            { value: 'bonus', label: t('Bonus') },
          ],
        }}
        sorts={rowSortOptions()}
        onChange={(next) => narrow(next as Parameters<typeof narrow>[0])}
      />
      {error && (
        <ListError title={t('Failed to fetch purchases')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && <ListSkeleton what={t('purchases')} />}
      {!error && data && (
        <>
          <NewRows
            listKey={query.queryKey}
            fetchedAt={dataUpdatedAt}
            totalCount={data.totalCount}
            count={(signal) => countPurchases(place, signal)}
            onShow={() => void refetch()}
          />
          {isFiltered && data.summary && <FilterSummary summary={data.summary} />}
          {data.isCut && <TruncatedNotice isOfRows={!email} />}
          {data.purchases.length === 0 ? (
            <Card className="py-12 text-center [overflow-wrap:anywhere] text-ink-10">
              {emptyText({ email, status, isFiltered, totalCount: data.totalCount })}
            </Card>
          ) : (
            <PurchaseTable
              zone={zone}
              purchases={data.purchases}
              isBusy={isPlaceholderData}
              onConfirm={(purchase) => setQuestion({ about: 'confirm', purchase })}
              onCancel={(purchase) => setQuestion({ about: 'cancel', purchase })}
            />
          )}
          <Pager what={t('purchases')} page={page} pageSize={PURCHASES_PER_PAGE} paging={data} onPage={goTo} />
        </>
      )}
      {question?.about === 'confirm' && <ConfirmPurchaseDialog purchase={question.purchase} onClose={close} />}
      {question?.about === 'cancel' && <CancelPurchaseDialog purchase={question.purchase} onClose={close} />}
    </>
  )
}

interface Place {
  email: string
  status: PurchaseFilter | null
  isFiltered: boolean
  totalCount: number
}

function emptyText({ email, status, isFiltered, totalCount }: Place): string {
  if (totalCount > 0) return t('This page is empty.')
  if (status === 'waiting' && !email) return t('No purchase waits for a review.')
  if (status && !email) return t('No purchases with this status.')
  if (isFiltered && !email) return t('No purchase matches this filter.')
  return email ? t("No buyer's email contains “{email}”.", { email }) : t('No purchases yet.')
}
