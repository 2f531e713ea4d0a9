import { type FormEvent, useId, useRef, useState } from 'react'
import { cancelPurchase } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { t } from '#pwa/i18n/t.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { useRowDecision } from '../useRowDecision.ts'
import { namePurchase } from './purchaseWords.ts'
import { ReasonField } from './ReasonField.tsx'

/** Asks why before a pending purchase is cancelled. */
export function CancelPurchaseDialog({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  const formId = useId()
  const cancel = useRowDecision({
    decide: (body: { reason: string }, options) => api(cancelPurchase, { params: { id: purchase.id }, body }, options),
    done: t('Purchase Cancelled'),
    failed: t('Failed to cancel purchase.'),
    onSettled: onClose,
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (reason.trim()) return cancel.mutate({ reason: reason.trim() })
    setProblem(t('Please enter a reason.'))
    field.current?.focus()
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={<span className="[overflow-wrap:anywhere]">{t('Cancel {purchase}?', { purchase: namePurchase(purchase) })}</span>}
      description={t(
        'Its nodes go back on sale, and the buyer is told by e-mail. It cannot be taken back: a payment that still comes waits for review.',
      )}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={cancel.isPending}>
            {t('Keep purchase')}
          </Button>
          <Button type="submit" form={formId} variant="danger" isPending={cancel.isPending} pendingLabel={t('Cancelling...')}>
            {t('Cancel purchase')}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={handleSubmit}>
        <ReasonField
          ref={field}
          label={t('Reason')}
          value={reason}
          onChange={(text) => {
            setReason(text)
            setProblem(undefined)
          }}
          hint={t('The buyer reads it in the e-mail.')}
          error={problem}
        />
      </form>
    </Dialog>
  )
}
