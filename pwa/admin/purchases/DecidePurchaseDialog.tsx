import { useState } from 'react'
import { approvePurchase, rejectPurchase } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { countNodes } from '../countNodes.ts'
import { useRowDecision } from '../useRowDecision.ts'
import { namePurchase, sayUsdt } from './purchaseWords.ts'
import { ReasonField } from './ReasonField.tsx'

interface DecidePurchaseDialogProps {
  purchase: Purchase
  verdict: 'approve' | 'reject'
  onClose: () => void
}

const verdicts = {
  approve: {
    endpoint: approvePurchase,
    title: 'Allocate the',
    done: 'Purchase Confirmed',
    failed: 'failed to confirm purchase',
    label: 'Allocate',
    pendingLabel: 'Allocating...',
    variant: 'primary',
  },
  reject: {
    endpoint: rejectPurchase,
    title: 'Reject the',
    done: 'Purchase Rejected',
    failed: 'Failed to reject purchase.',
    label: 'Reject',
    pendingLabel: 'Rejecting...',
    variant: 'danger',
  },
} as const

/** Decides on a purchase that waits for a person, as it is. */
export function DecidePurchaseDialog({ purchase, verdict, onClose }: DecidePurchaseDialogProps) {
  const [notes, setNotes] = useState('')
  const { endpoint, title, done, failed, label, pendingLabel, variant } = verdicts[verdict]
  const decision = useRowDecision({
    decide: (body: { notes?: string }, options) => api(endpoint, { params: { id: purchase.id }, body }, options),
    done,
    failed,
    onSettled: onClose,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={
        <span className="[overflow-wrap:anywhere]">
          {title} {namePurchase(purchase)}?
        </span>
      }
      description={verdict === 'approve' ? sayAllocation(purchase) : sayRejection(purchase)}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={decision.isPending}>
            Cancel
          </Button>
          <Button
            variant={variant}
            onClick={() => decision.mutate(notes.trim() ? { notes: notes.trim() } : {})}
            isPending={decision.isPending}
            pendingLabel={pendingLabel}
          >
            {label}
          </Button>
        </>
      }
    >
      <ReasonField label="Notes (optional)" value={notes} onChange={setNotes} />
    </Dialog>
  )
}

function sayAllocation({ payment, purchaseAmountUsdt, requestedQuantity }: Purchase): string {
  const came =
    payment && payment.received > 0n
      ? `${sayUsdt(payment.received)} of ${sayUsdt(purchaseAmountUsdt)} came, and that closes its payment.`
      : `No payment was seen: it stays owed ${sayUsdt(purchaseAmountUsdt)}.`
  return `${countNodes(requestedQuantity)} are allocated at once. ${came} It cannot be taken back.`
}

const sayRejection = ({ payment }: Purchase): string =>
  `It ends without nodes, and the buyer is told by e-mail.${
    payment && payment.received > 0n
      ? ` The ${sayUsdt(payment.received)} that came go on waiting here, to be assigned or refunded.`
      : ''
  } It cannot be taken back.`
