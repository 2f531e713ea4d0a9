import type { Purchase } from '#shared/contract/purchases.ts'
import { T } from '#pwa/i18n/T.tsx'
import { t } from '#pwa/i18n/t.ts'
import { wordOf } from '#pwa/i18n/wordOf.ts'
import { formatTime } from '../zone/officeZone.ts'
import { countNodes } from '../countNodes.ts'
import { InlinePersonLink } from '../person/PersonLink.tsx'
import { RowButton } from '../lists/RowButton.tsx'
import { PaymentLink } from './PaymentLink.tsx'
import { namePurchase, formatUsdt, waitingWords } from './purchaseWords.ts'
import { ReviewRow } from './ReviewRow.tsx'
import type { PurchaseQuestion } from './questions.ts'

interface ReviewedPurchaseProps {
  purchase: Purchase
  dueBy: Date
  onAsk: (about: PurchaseQuestion['about']) => void
}

export function ReviewedPurchase({ purchase, dueBy, onAsk }: ReviewedPurchaseProps) {
  const name = namePurchase(purchase)
  return (
    <ReviewRow
      title={
        <T
          text="Purchase of {nodes} by {email}"
          nodes={countNodes(purchase.finalQuantity ?? purchase.requestedQuantity)}
          email={<InlinePersonLink {...purchase.user} />}
        />
      }
      reason={wordOf(waitingWords, purchase.purchaseResult)}
      dueBy={dueBy}
      targets={[`purchase:${purchase.id}`]}
      facts={[
        [t('Purchase price'), formatUsdt(purchase.purchaseAmountUsdt)],
        [t('Amount received'), formatUsdt(purchase.payment?.received ?? 0n)],
        ...(purchase.transactionHash
          ? [[t('Tx'), <PaymentLink key="tx" kind="tx" value={purchase.transactionHash} />] as const]
          : []),
        [
          t('Requested'),
          <span key="created" className="figures">
            {formatTime(purchase.createdAt)}
          </span>,
        ],
        ...(purchase.adminNotes ? [[t('Notes'), purchase.adminNotes] as const] : []),
      ]}
      actions={
        <>
          <RowButton label={t('Allocate the {purchase}', { purchase: name })} onClick={() => onAsk('approve')}>
            {t('Allocate')}
          </RowButton>
          <RowButton label={t('Reject the {purchase}', { purchase: name })} onClick={() => onAsk('reject')}>
            {t('Reject')}
          </RowButton>
        </>
      }
    />
  )
}
