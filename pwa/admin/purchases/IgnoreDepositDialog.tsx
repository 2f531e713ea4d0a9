import { type FormEvent, useId, useRef, useState } from 'react'
import { ignoreDeposit, type ReviewDeposit } from '#shared/contract/admin/purchases.ts'
import { api } from '#pwa/lib/api.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { useRowDecision } from '../useRowDecision.ts'
import { nameDeposit } from './purchaseWords.ts'
import { ReasonField } from './ReasonField.tsx'

/** Asks why before a payment is put aside without nodes and without a refund. */
export function IgnoreDepositDialog({ deposit, onClose }: { deposit: ReviewDeposit; onClose: () => void }) {
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  const formId = useId()
  const ignore = useRowDecision({
    decide: (body: { note: string }, options) => api(ignoreDeposit, { params: { id: deposit.id }, body }, options),
    done: 'Payment Ignored',
    failed: 'Failed to ignore payment.',
    onSettled: onClose,
  })

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (note.trim()) return ignore.mutate({ note: note.trim() })
    setProblem('Please enter a reason.')
    field.current?.focus()
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={<span className="[overflow-wrap:anywhere]">Ignore the {nameDeposit(deposit)}?</span>}
      description="It pays for nothing, nobody is refunded, and it leaves this list for good. It cannot be taken back."
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={ignore.isPending}>
            Cancel
          </Button>
          <Button type="submit" form={formId} variant="danger" isPending={ignore.isPending} pendingLabel="Ignoring...">
            Ignore payment
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={handleSubmit}>
        <ReasonField
          ref={field}
          label="Reason"
          value={note}
          onChange={(text) => {
            setNote(text)
            setProblem(undefined)
          }}
          error={problem}
        />
      </form>
    </Dialog>
  )
}
