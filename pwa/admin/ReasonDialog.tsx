import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '#pwa/ui/Button.tsx'
import { Dialog } from '#pwa/ui/Dialog.tsx'
import { useReason } from './useReason.tsx'

interface ReasonDialogProps {
  /** Names the decision and its object, as of `useReason`. */
  about: string
  title: string
  description: ReactNode
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
  const { about, title, description, keepLabel, label, pendingLabel, isDanger, isPending, hint, onDecide, onClose } = props
  const { field, take } = useReason({ about, hint })
  const formId = useId()

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    const taken = take()
    if (taken) onDecide(taken.reason)
  }

  return (
    <Dialog
      open
      isHeld={isPending}
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
        {field}
      </form>
    </Dialog>
  )
}
