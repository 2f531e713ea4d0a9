import { useId, useState } from 'react'
import { MAX_DEPOSITS_PER_DECISION } from '#shared/contract/admin/deposits.ts'
import type { ReviewDeposit, ReviewGroup } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { TextButton } from '#pwa/ui/TextButton.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { PaymentLink } from './PaymentLink.tsx'
import { type DecidedDeposit, nameDeposit, formatUsdt, restoredText } from './purchaseWords.ts'
import { ProbableUser, proversFact, reportersFact, ReviewedDeposit } from './ReviewedDeposit.tsx'
import { ReviewRow } from './ReviewRow.tsx'
import type { DepositQuestion } from './questions.ts'

interface ReviewedGroupProps {
  group: ReviewGroup
  /** The first of its deposits. */
  deposits: readonly ReviewDeposit[]
  purchaseOf: (deposit: ReviewDeposit) => Purchase | undefined
  onAsk: (question: DepositQuestion) => void
}

/** Several payments of one sender, decided together or one by one. */
export function ReviewedGroup({ group, deposits, purchaseOf, onAsk }: ReviewedGroupProps) {
  const [isOpen, setOpen] = useState(false)
  const listId = useId()
  const { count, amount, sender, affordableNodes, depositIds, dueBy } = group
  const all: DecidedDeposit = { ...deposits[0]!, amount, affordableNodes, others: depositIds.slice(1) }
  const payment = nameDeposit(all)
  return (
    <>
      <ReviewRow
        title={t('{count} payments, {amount} in total', { count, amount: formatUsdt(amount) })}
        reason={[t('They came from one sender.'), deposits.some(({ mayBeRefunded }) => mayBeRefunded) && restoredText()]
          .filter(Boolean)
          .join(' ')}
        dueBy={dueBy}
        targets={depositIds.map((id) => `deposit:${id}`)}
        facts={[
          [t('Sender'), <PaymentLink key="sender" kind="address" value={sender} />],
          [t('Probably from'), <ProbableUser key="user" deposit={all} />],
          ...proversFact(all),
          ...reportersFact(deposits),
        ]}
        actions={
          <>
            {count <= MAX_DEPOSITS_PER_DECISION && (
              <>
                <RowButton
                  label={t('Assign the {payment}', { payment })}
                  onClick={() => onAsk({ about: 'assign', deposit: all })}
                >
                  {t('Assign')}
                </RowButton>
                <RowButton
                  label={t('Mark refunded: {payment}', { payment })}
                  onClick={() => onAsk({ about: 'refund', deposit: all })}
                >
                  {t('Mark refunded')}
                </RowButton>
              </>
            )}
            <RowButton label={t('Ignore the {payment}', { payment })} onClick={() => onAsk({ about: 'ignore', deposit: all })}>
              {t('Ignore')}
            </RowButton>
          </>
        }
      />
      <TextButton aria-expanded={isOpen} aria-controls={listId} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t('Hide individual payments') : t('Show individual payments')}
      </TextButton>
      <div id={listId}>
        {isOpen && (
          <ul aria-label={payment} className="divide-y divide-ink-4 border-l-2 border-ink-5 pl-4">
            {deposits.map((deposit) => (
              <li key={deposit.id} className="py-3">
                <ReviewedDeposit deposit={deposit} purchase={purchaseOf(deposit)} onAsk={(about) => onAsk({ about, deposit })} />
              </li>
            ))}
            {count > deposits.length && (
              <li className="py-3 text-14 text-ink-10">{t('and {count} more', { count: count - deposits.length })}</li>
            )}
          </ul>
        )}
      </div>
    </>
  )
}
