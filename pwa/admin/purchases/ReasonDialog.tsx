import { type FormEvent, useId, useRef, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { ReasonField } from './ReasonField.tsx'

interface ReasonDialogProps {
  title: string
  description: string
  /** Label of the button that changes nothing. */
  keepLabel: string
  label: string
  pendingLabel: string
  isDanger: boolean
  isPending: boolean
  hint?: string
  /** Receives the trimmed text. */
  onDecide: (reason: string) => void
  onClose: () => void
}

/** Asks for confirmation and a reason before a decision on a row. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, description, keepLabel, label, pendingLabel, isDanger, isPending, hint, onDecide, onClose } = props
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const field = useRef<HTMLTextAreaElement>(null)
  const formId = useId()

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (reason.trim()) return onDecide(reason.trim())
    setProblem(t('Please enter a reason.'))
    field.current?.focus()
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={<span className="[overflow-wrap:anywhere]">{title}</span>}
      description={description}
      actions={
        <>
          <Button variant="secondary" onClick={onClose} disabled={isPending}>
            {keepLabel}
          </Button>
          <Button
            type="submit"
            form={formId}
            variant={isDanger ? 'danger' : 'primary'}
            isPending={isPending}
            pendingLabel={pendingLabel}
          >
            {label}
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
          {...(hint !== undefined && { hint })}
          error={problem}
        />
      </form>
    </Dialog>
  )
}
