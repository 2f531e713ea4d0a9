import { useQuery } from '@tanstack/react-query'
import { Download } from '#pwa/ui/icons.ts'
import { useState } from 'react'
import { downloadPurchases, type PurchaseFilter, purchaseFilters, PURCHASES_PER_PAGE } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { presentStatus } from '#pwa/lib/presentStatus.ts'
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
import { CancelPurchaseDialog } from './CancelPurchaseDialog.tsx'
import { ConfirmPurchaseDialog } from './ConfirmPurchaseDialog.tsx'
import { FilterSummary } from './FilterSummary.tsx'
import { PurchaseTable } from './PurchaseTable.tsx'
import { purchasesQuery } from './queries.ts'
import { ReviewStrip } from './ReviewStrip.tsx'

/** The cases to review, and all purchases below them. */
export function PurchasesTab() {
  const { email, status, page, search, filter, goTo } = useListParams(purchaseFilters)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(purchasesQuery({ email, status, page }))
  const [question, setQuestion] = useState<{ about: 'confirm' | 'cancel'; purchase: Purchase } | null>(null)
  const close = () => setQuestion(null)

  return (
    <>
      {/* Who follows a link to what waits sees all of it at once. */}
      <ReviewStrip key={status === 'waiting' ? 'all' : 'urgent'} isInitiallyOpen={status === 'waiting'} />
      <div className="mb-4 flex flex-wrap items-start justify-between gap-2">
        <div className="flex flex-wrap gap-2 max-sm:w-full">
          <StatusFilter
            value={status}
            options={purchaseFilters.map((value) => ({
              value,
              label: value === 'waiting' ? t('Only waiting') : presentStatus(value).word,
            }))}
            onChange={filter}
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
          <a
            href={downloadPurchases.path + (email && `?${new URLSearchParams({ email })}`)}
            target="_blank"
            rel="noreferrer"
            className={buttonClass({ variant: 'secondary', className: 'max-desk:flex-1' })}
          >
            <Download size={16} aria-hidden /> {t('Excel download')}
          </a>
          <RefreshButton what={t('purchases')} isFetching={isFetching} onRefresh={() => void refetch()} />
        </div>
      </div>
      {error && (
        <ListError title={t('Failed to fetch purchases')} error={error} isFetching={isFetching} onRetry={() => void refetch()} />
      )}
      {!error && !data && <ListSkeleton what={t('purchases')} />}
      {!error && data && (
        <>
          {email && data.summary && <FilterSummary summary={data.summary} />}
          {data.isCut && <TruncatedNotice isOfRows={!email} />}
          {data.purchases.length === 0 ? (
            <Card className="py-12 text-center [overflow-wrap:anywhere] text-ink-10">
              {emptyText({ email, status, totalCount: data.totalCount })}
            </Card>
          ) : (
            <PurchaseTable
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
  totalCount: number
}

function emptyText({ email, status, totalCount }: Place): string {
  if (totalCount > 0) return t('This page is empty.')
  if (status === 'waiting' && !email) return t('No purchase waits for a review.')
  if (status && !email) return t('No purchases with this status.')
  return email ? t("No buyer's email contains “{email}”.", { email }) : t('No purchases yet.')
}
