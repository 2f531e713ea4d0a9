import { useQuery } from '@tanstack/react-query'
import { Download } from '#pwa/ui/icons.ts'
import { useState } from 'react'
import { downloadPurchases, PURCHASES_PER_PAGE } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { buttonClass } from '#pwa/ui/buttonClass.ts'
import { Card } from '#pwa/ui/Card.tsx'
import { TruncatedNotice } from '../lists/TruncatedNotice.tsx'
import { EmailSearch } from '../lists/EmailSearch.tsx'
import { ListError } from '../lists/ListError.tsx'
import { ListSkeleton } from '../lists/ListSkeleton.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { useListParams } from '../lists/useListParams.ts'
import { CancelPurchaseDialog } from './CancelPurchaseDialog.tsx'
import { ConfirmPurchaseDialog } from './ConfirmPurchaseDialog.tsx'
import { FilterSummary } from './FilterSummary.tsx'
import { PurchaseTable } from './PurchaseTable.tsx'
import { purchasesQuery } from './queries.ts'
import { ReviewStrip } from './ReviewStrip.tsx'

/** The cases to review, and all purchases below them. */
export function PurchasesTab() {
  const { email, page, search, goTo } = useListParams()
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(purchasesQuery({ email, page }))
  const [question, setQuestion] = useState<{ about: 'confirm' | 'cancel'; purchase: Purchase } | null>(null)
  const close = () => setQuestion(null)

  return (
    <>
      <ReviewStrip />
      <div className="mb-4 flex flex-wrap items-start justify-between gap-2">
        <EmailSearch
          email={email}
          onSearch={search}
          isPending={isFetching}
          searchLabel={t('Filter')}
          clearLabel={t('Clear filter')}
        />
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
          {data.isCut && <TruncatedNotice />}
          {data.purchases.length === 0 ? (
            <Card className="py-12 text-center [overflow-wrap:anywhere] text-ink-10">{emptyText(email, data.totalCount)}</Card>
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

function emptyText(email: string, totalCount: number): string {
  if (totalCount > 0) return t('This page is empty.')
  return email ? t("No buyer's email contains “{email}”.", { email }) : t('No purchases yet.')
}
