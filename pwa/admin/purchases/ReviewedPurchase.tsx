import type { Purchase } from '#shared/contract/purchases.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { RowButton } from '../lists/RowButton.tsx'
import { PaymentLink } from './PaymentLink.tsx'
import { namePurchase, sayUsdt, waitingWords } from './purchaseWords.ts'
import { ReviewRow } from './ReviewRow.tsx'
import type { PurchaseQuestion } from './ReviewStrip.tsx'

interface ReviewedPurchaseProps {
  purchase: Purchase
  dueBy: Date
  onAsk: (about: PurchaseQuestion['about']) => void
}

export function ReviewedPurchase({ purchase, dueBy, onAsk }: ReviewedPurchaseProps) {
  const name = namePurchase(purchase)
  return (
    <ReviewRow
      title={name.charAt(0).toUpperCase() + name.slice(1)}
      reason={waitingWords[purchase.purchaseResult]}
      dueBy={dueBy}
      facts={[
        ['Costs', sayUsdt(purchase.purchaseAmountUsdt)],
        ['Came', sayUsdt(purchase.payment?.received ?? 0n)],
        ...(purchase.transactionHash
          ? [['Tx', <PaymentLink key="tx" kind="tx" value={purchase.transactionHash} />] as const]
          : []),
        [
          'Asked for',
          <span key="created" className="figures">
            {formatDateTime(purchase.createdAt)}
          </span>,
        ],
        ...(purchase.adminNotes ? [['Notes', purchase.adminNotes] as const] : []),
      ]}
      actions={
        <>
          <RowButton label={`Allocate the ${name}`} onClick={() => onAsk('approve')}>
            Allocate
          </RowButton>
          <RowButton label={`Reject the ${name}`} onClick={() => onAsk('reject')}>
            Reject
          </RowButton>
        </>
      }
    />
  )
}
