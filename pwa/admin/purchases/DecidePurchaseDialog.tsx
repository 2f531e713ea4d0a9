import { useState } from 'react'
import { approvePurchase, rejectPurchase } from '#shared/contract/admin/purchases.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import type { Objection } from '#shared/objections.ts'
import { objectToReceived } from '#shared/objectionTexts.ts'
import { msg, t, translate } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { countNodes } from '../countNodes.ts'
import { decide } from '../proof/decide.ts'
import { ApprovalNote, type ApprovalNeed } from '../proposals/ApprovalNote.tsx'
import { useReason } from '../useReason.tsx'
import { useRowDecision } from '../useRowDecision.ts'
import { nameObjections, Objections, objectionsOf } from './Objections.tsx'
import { namePurchase, formatUsdt } from './purchaseWords.ts'

interface DecidePurchaseDialogProps {
  purchase: Purchase
  verdict: 'approve' | 'reject'
  onClose: () => void
}

interface Body {
  notes?: string
  overridden?: Objection[]
}

const verdicts = {
  approve: {
    send: (id: string, body: Body, options: CallOptions) => decide(approvePurchase, { params: { id }, body }, options),
    title: msg('Allocate the {purchase}?'),
    done: msg('Purchase Confirmed'),
    failed: msg('failed to confirm purchase'),
    label: msg('Allocate'),
    pendingLabel: msg('Allocating...'),
    variant: 'primary',
  },
  reject: {
    send: (id: string, body: Body, options: CallOptions) => api(rejectPurchase, { params: { id }, body }, options),
    title: msg('Reject the {purchase}?'),
    done: msg('Purchase Rejected'),
    failed: msg('Failed to reject purchase.'),
    label: msg('Reject'),
    pendingLabel: msg('Rejecting...'),
    variant: 'danger',
  },
} as const

/** Approves or rejects a purchase in review as it stands. */
export function DecidePurchaseDialog({ purchase, verdict, onClose }: DecidePurchaseDialogProps) {
  // Without the whole price it gives away nodes, and a rejection ends the purchase for good.
  const received = purchase.payment?.received ?? 0n
  const isPaid = received >= purchase.purchaseAmountUsdt
  const [objections, setObjections] = useState(objectionsOf(undefined))
  const isOverriding = objections.length > 0
  const reason = useReason({
    about: `${verdict} purchase ${purchase.id}`,
    isOptional: verdict === 'approve' && isPaid && !isOverriding,
  })
  // A payment in full may not be final yet, or belong to another account.
  const need: ApprovalNeed = isPaid && purchase.purchaseResult !== 'wallet_mismatch' ? 'maybe' : 'yes'
  const { send, title, done, failed, label, pendingLabel, variant } = verdicts[verdict]
  const decision = useRowDecision({
    decide: (body: Body, options) => send(purchase.id, body, options),
    done: translate(done),
    failed: translate(failed),
    onSettled: onClose,
    onRefused: (error) => setObjections(objectionsOf(error)),
  })
  return (
    <Dialog
      open
      isHeld={decision.isPending}
      onOpenChange={onClose}
      title={<span className="[overflow-wrap:anywhere]">{translate(title, { purchase: namePurchase(purchase) })}</span>}
      description={
        verdict === 'approve' ? (
          <>
            {/* What is listed as received may have changed: the objections say it. */}
            {isOverriding
              ? t("{nodes} will be allocated immediately. This can't be undone.", {
                  nodes: countNodes(purchase.requestedQuantity),
                })
              : allocationText(purchase)}
            <ApprovalNote need={need} />
          </>
        ) : (
          rejectionText(purchase)
        )
      }
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={decision.isPending}>
            {t('Cancel')}
          </Button>
          <Button
            variant={isOverriding ? 'danger' : variant}
            onClick={() => {
              const taken = reason.take()
              if (taken)
                decision.mutate({
                  ...(taken.reason && { notes: taken.reason }),
                  ...(verdict === 'approve' &&
                    // The first press names what the text above says.
                    (isOverriding
                      ? nameObjections(objections)
                      : { overridden: objectToReceived(received, purchase.purchaseAmountUsdt) })),
                })
            }}
            isPending={decision.isPending}
            pendingLabel={translate(pendingLabel)}
          >
            {isOverriding ? t('Allocate anyway') : translate(label)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Objections objections={objections} />
        {reason.field}
      </div>
    </Dialog>
  )
}

function allocationText({ payment, purchaseAmountUsdt, requestedQuantity }: Purchase): string {
  const values = { nodes: countNodes(requestedQuantity), amount: formatUsdt(purchaseAmountUsdt) }
  return payment && payment.received > 0n
    ? t(
        "{nodes} will be allocated immediately. {received} of {amount} was received and is accepted as full payment. This can't be undone.",
        {
          ...values,
          received: formatUsdt(payment.received),
        },
      )
    : t("{nodes} will be allocated immediately. No payment was seen, so {amount} remains unpaid. This can't be undone.", values)
}

const rejectionText = ({ payment }: Purchase): string =>
  payment && payment.received > 0n
    ? t(
        "No nodes are allocated, and the buyer is notified by email. The {amount} received stays here to be assigned or refunded. This can't be undone.",
        { amount: formatUsdt(payment.received) },
      )
    : t("No nodes are allocated, and the buyer is notified by email. This can't be undone.")
