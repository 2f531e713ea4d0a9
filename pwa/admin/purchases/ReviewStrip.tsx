import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { REVIEWS_PER_PAGE, type ReviewDeposit, type ReviewGroup } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Badge } from '#pwa/ui/Badge.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { ListError } from '../lists/ListError.tsx'
import { NewRows } from '../lists/NewRows.tsx'
import { Pager } from '../lists/Pager.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { AssignDepositDialog } from './AssignDepositDialog.tsx'
import { CloseDepositDialog } from './CloseDepositDialog.tsx'
import { DecidePurchaseDialog } from './DecidePurchaseDialog.tsx'
import { IgnoredPayments } from './IgnoredPayments.tsx'
import { formatUsdt } from './purchaseWords.ts'
import type { DepositQuestion, PurchaseQuestion } from './questions.ts'
import { countReviews, reviewsQuery } from './queries.ts'
import { OpenPurchaseDialog } from './OpenPurchaseDialog.tsx'
import { RefundDepositDialog } from './RefundDepositDialog.tsx'
import { ReviewedDeposit } from './ReviewedDeposit.tsx'
import { ReviewedGroup } from './ReviewedGroup.tsx'
import { ReviewedPurchase } from './ReviewedPurchase.tsx'

/** Number of cases shown before "show more". */
const INITIAL_COUNT = 4

/** Payments and purchases in review, the most urgent first. */
export function ReviewStrip({ isInitiallyOpen = false }: { isInitiallyOpen?: boolean }) {
  const [page, setPage] = useState(1)
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery(reviewsQuery(page))
  const [isOpen, setOpen] = useState(isInitiallyOpen)
  const [question, setQuestion] = useState<DepositQuestion | PurchaseQuestion | null>(null)
  const [isShowingIgnored, setShowingIgnored] = useState(false)

  const waiting = [
    ...(data?.groups ?? []).map((group) => ({ kind: 'deposits', id: group.depositIds[0]!, dueBy: group.dueBy, group }) as const),
    ...(data?.purchases ?? []).map(
      (purchase) => ({ kind: 'purchase', id: purchase.id, dueBy: purchase.dueBy, purchase }) as const,
    ),
  ].sort((a, b) => a.dueBy.getTime() - b.dueBy.getTime())
  const totalCount = data?.totalCount ?? 0
  const shown = isOpen ? waiting : waiting.slice(0, INITIAL_COUNT)
  const purchaseOf = ({ purchaseId }: ReviewDeposit): Purchase | undefined =>
    [...(data?.purchases ?? []), ...(data?.otherPurchases ?? [])].find(({ id }) => id === purchaseId)
  const depositsOf = ({ depositIds }: ReviewGroup): ReviewDeposit[] =>
    (data?.deposits ?? []).filter(({ id }) => depositIds.includes(id))

  const asked = question && 'deposit' in question ? [question.deposit.id, ...(question.deposit.others ?? [])] : []
  const openPurchase = (data?.deposits ?? []).flatMap((row) =>
    asked.includes(row.id) && row.reason === 'underpaid' ? (purchaseOf(row) ?? []) : [],
  )[0]

  function toggle() {
    setOpen(!isOpen)
    setPage(1)
  }

  return (
    <section aria-labelledby="review-title" className="mb-6 rounded-card border border-ink-5 bg-surface">
      <header className="flex min-h-13 flex-wrap items-center gap-x-2 py-1 pr-1 pl-4">
        <h2 id="review-title" className="text-16 font-strong">
          {t('Review')}
        </h2>
        {totalCount > 0 && <Badge tone="waiting">{formatCount(totalCount)}</Badge>}
        {data && data.unmatchedUsdt > 0n && (
          <p className="figures min-w-0 text-14 text-ink-10 max-sm:order-last max-sm:mb-2 max-sm:w-full">
            {t('{amount} waiting', { amount: formatUsdt(data.unmatchedUsdt) })}
          </p>
        )}
        <span className="ml-auto flex items-center">
          <TextButton onClick={() => setShowingIgnored(true)}>{t('Ignored payments')}</TextButton>
          <RefreshButton what={t('review')} isFetching={isFetching} onRefresh={() => void refetch()} />
        </span>
      </header>
      {error && (
        <div className="px-4 pb-4">
          <ListError
            title={t('Failed to fetch pending reviews')}
            error={error}
            isFetching={isFetching}
            onRetry={() => void refetch()}
          />
        </div>
      )}
      {!error && !data && (
        <div role="status" className="border-t border-ink-5 p-4">
          <span className="sr-only">{t('Loading reviews')}</span>
          <Skeleton className="h-16" />
        </div>
      )}
      {!error && data && totalCount === 0 && (
        <p className="border-t border-ink-5 px-4 py-3 text-14 text-ink-10">{t('Nothing to review.')}</p>
      )}
      {!error && data && (
        <div className="px-4 empty:hidden">
          <NewRows
            listKey={reviewsQuery(page).queryKey}
            fetchedAt={dataUpdatedAt}
            totalCount={totalCount}
            count={countReviews}
            onShow={() => void refetch()}
          />
        </div>
      )}
      {!error && waiting.length > 0 && (
        <ul className="divide-y divide-ink-5 border-t border-ink-5">
          {shown.map((item) => (
            <li key={`${item.kind} ${item.id}`} className="px-4 py-3">
              {item.kind === 'purchase' ? (
                <ReviewedPurchase
                  purchase={item.purchase}
                  dueBy={item.dueBy}
                  onAsk={(about) => setQuestion({ about, purchase: item.purchase })}
                />
              ) : item.group.count > 1 ? (
                <ReviewedGroup group={item.group} deposits={depositsOf(item.group)} purchaseOf={purchaseOf} onAsk={setQuestion} />
              ) : (
                depositsOf(item.group).map((deposit) => (
                  <ReviewedDeposit
                    key={deposit.id}
                    deposit={deposit}
                    purchase={purchaseOf(deposit)}
                    onAsk={(about) => setQuestion({ about, deposit })}
                  />
                ))
              )}
            </li>
          ))}
        </ul>
      )}
      {!error && totalCount > INITIAL_COUNT && (
        <div className="border-t border-ink-5 px-4 pb-2">
          {isOpen && data && <Pager what={t('cases')} page={page} pageSize={REVIEWS_PER_PAGE} paging={data} onPage={setPage} />}
          <TextButton aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? t('Show only the most urgent') : t('Show all {count}', { count: totalCount })}
          </TextButton>
        </div>
      )}
      {isShowingIgnored && <IgnoredPayments onClose={() => setShowingIgnored(false)} />}
      {question && (
        <QuestionDialog
          question={question}
          purchaseOf={purchaseOf}
          openPurchase={openPurchase}
          onClose={() => setQuestion(null)}
        />
      )}
    </section>
  )
}

interface QuestionDialogProps {
  question: DepositQuestion | PurchaseQuestion
  purchaseOf: (deposit: ReviewDeposit) => Purchase | undefined
  /** The rest of the money could still complete it with the payment. */
  openPurchase: Purchase | undefined
  onClose: () => void
}

function QuestionDialog({ question, purchaseOf, openPurchase, onClose }: QuestionDialogProps) {
  switch (question.about) {
    case 'assign':
      return <AssignDepositDialog deposit={question.deposit} purchase={purchaseOf(question.deposit)} onClose={onClose} />
    case 'refund':
      if (openPurchase) return <OpenPurchaseDialog purchase={openPurchase} onClose={onClose} />
      return <RefundDepositDialog deposit={question.deposit} onClose={onClose} />
    case 'approve':
    case 'reject':
      return <DecidePurchaseDialog purchase={question.purchase} verdict={question.about} onClose={onClose} />
    case 'ignore':
    case 'restore':
    case 'leave':
      return <CloseDepositDialog about={question.about} deposit={question.deposit} onClose={onClose} />
  }
}
