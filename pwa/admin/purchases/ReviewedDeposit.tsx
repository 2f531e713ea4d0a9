import type { ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { RowButton } from '../lists/RowButton.tsx'
import { PaymentLink } from './PaymentLink.tsx'
import { nameDeposit, namePurchase, reasonWords, sayUsdt } from './purchaseWords.ts'
import { ReviewRow } from './ReviewRow.tsx'
import type { DepositQuestion } from './ReviewStrip.tsx'

interface ReviewedDepositProps {
  deposit: ReviewDeposit
  /** The one it is attached to, if that waits as well. */
  purchase: Purchase | undefined
  onAsk: (about: DepositQuestion['about']) => void
}

export function ReviewedDeposit({ deposit, purchase, onAsk }: ReviewedDepositProps) {
  const name = nameDeposit(deposit)
  return (
    <ReviewRow
      title={`Payment of ${sayUsdt(deposit.amount)}`}
      reason={reasonWords[deposit.reason]}
      dueBy={deposit.dueBy}
      facts={[
        ['Sender', <PaymentLink key="sender" kind="address" value={deposit.sender} />],
        ['Tx', <PaymentLink key="tx" kind="tx" value={deposit.transactionHash} />],
        ['Probably from', deposit.probableUserEmail ?? 'nobody known'],
        ...(deposit.purchaseId ? [['Came for', purchase ? namePurchase(purchase) : closedWord(deposit)] as const] : []),
        [
          'Seen',
          <span key="seen" className="figures">
            {formatDateTime(deposit.seenAt)}
          </span>,
        ],
      ]}
      actions={
        deposit.reason === 'orphaned' ? (
          <>
            <RowButton label={`Restore the nodes of the ${name}`} onClick={() => onAsk('restore')}>
              Restore nodes
            </RowButton>
            <RowButton label={`Leave the nodes of the ${name} frozen`} onClick={() => onAsk('leave')}>
              Leave frozen
            </RowButton>
          </>
        ) : (
          <>
            <RowButton label={`Assign the ${name}`} onClick={() => onAsk('assign')}>
              Assign
            </RowButton>
            <RowButton label={`Mark the ${name} as refunded`} onClick={() => onAsk('refund')}>
              Mark refunded
            </RowButton>
            <RowButton label={`Ignore the ${name}`} onClick={() => onAsk('ignore')}>
              Ignore
            </RowButton>
          </>
        )
      }
    />
  )
}

const closedWord = ({ reason }: ReviewDeposit): string =>
  reason === 'orphaned' ? 'a purchase that has its nodes' : 'a purchase that is closed'
