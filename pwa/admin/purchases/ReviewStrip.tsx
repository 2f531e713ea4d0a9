import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { Badge } from '#pwa/ui/Badge.tsx'
import { Skeleton } from '#pwa/ui/Skeleton.tsx'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { ListError } from '../lists/ListError.tsx'
import { RefreshButton } from '../lists/RefreshButton.tsx'
import { AssignDepositDialog } from './AssignDepositDialog.tsx'
import { CloseDepositDialog } from './CloseDepositDialog.tsx'
import { DecidePurchaseDialog } from './DecidePurchaseDialog.tsx'
import { sayUsdt } from './purchaseWords.ts'
import { reviewsQuery } from './queries.ts'
import { RefundDepositDialog } from './RefundDepositDialog.tsx'
import { ReviewedDeposit } from './ReviewedDeposit.tsx'
import { ReviewedPurchase } from './ReviewedPurchase.tsx'

/** So many stand above the table; more are a press away. */
const SHOWN = 4

export type DepositQuestion = { about: 'assign' | 'refund' | 'ignore' | 'restore' | 'leave'; deposit: ReviewDeposit }
export type PurchaseQuestion = { about: 'approve' | 'reject'; purchase: Purchase }

/** Payments and purchases that wait for a person, the most urgent first. */
export function ReviewStrip() {
  const { data, error, isFetching, refetch } = useQuery(reviewsQuery)
  const [isOpen, setOpen] = useState(false)
  const [question, setQuestion] = useState<DepositQuestion | PurchaseQuestion | null>(null)
  const close = () => setQuestion(null)

  const waiting = [
    ...(data?.deposits ?? []).map((deposit) => ({ kind: 'deposit', dueBy: deposit.dueBy, deposit }) as const),
    ...(data?.purchases ?? []).map((purchase) => ({ kind: 'purchase', dueBy: purchase.dueBy, purchase }) as const),
  ].sort((a, b) => a.dueBy.getTime() - b.dueBy.getTime())
  const shown = isOpen ? waiting : waiting.slice(0, SHOWN)

  return (
    <section aria-labelledby="review-title" className="mb-6 rounded-card border border-ink-5 bg-surface">
      <header className="flex min-h-13 items-center gap-2 py-1 pr-1 pl-4">
        <h2 id="review-title" className="text-16 font-strong">
          {t('Review')}
        </h2>
        {waiting.length > 0 && <Badge tone="waiting">{formatCount(waiting.length)}</Badge>}
        {data && data.unmatchedUsdt > 0n && (
          <p className="figures min-w-0 text-14 text-ink-10 max-sm:text-12">
            {t('{amount} wait', { amount: sayUsdt(data.unmatchedUsdt) })}
          </p>
        )}
        <span className="ml-auto">
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
      {!error && data && waiting.length === 0 && (
        <p className="border-t border-ink-5 px-4 py-3 text-14 text-ink-10">{t('Nothing waits for a person.')}</p>
      )}
      {!error && waiting.length > 0 && (
        <ul className="divide-y divide-ink-5 border-t border-ink-5">
          {shown.map((item) => (
            <li key={`${item.kind} ${item.kind === 'deposit' ? item.deposit.id : item.purchase.id}`} className="px-4 py-3">
              {item.kind === 'deposit' ? (
                <ReviewedDeposit
                  deposit={item.deposit}
                  purchase={data?.purchases.find(({ id }) => id === item.deposit.purchaseId)}
                  onAsk={(about) => setQuestion({ about, deposit: item.deposit })}
                />
              ) : (
                <ReviewedPurchase
                  purchase={item.purchase}
                  dueBy={item.dueBy}
                  onAsk={(about) => setQuestion({ about, purchase: item.purchase })}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {!error && waiting.length > SHOWN && (
        <p className="border-t border-ink-5 px-4">
          <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? t('Show the most urgent only') : t('Show all {count}', { count: waiting.length })}
          </TextButton>
        </p>
      )}
      {question?.about === 'assign' && (
        <AssignDepositDialog
          deposit={question.deposit}
          purchase={data?.purchases.find(({ id }) => id === question.deposit.purchaseId)}
          onClose={close}
        />
      )}
      {question?.about === 'refund' && <RefundDepositDialog deposit={question.deposit} onClose={close} />}
      {(question?.about === 'ignore' || question?.about === 'restore' || question?.about === 'leave') && (
        <CloseDepositDialog about={question.about} deposit={question.deposit} onClose={close} />
      )}
      {(question?.about === 'approve' || question?.about === 'reject') && (
        <DecidePurchaseDialog purchase={question.purchase} verdict={question.about} onClose={close} />
      )}
    </section>
  )
}
