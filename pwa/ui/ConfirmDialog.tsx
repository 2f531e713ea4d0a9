import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Names the subject: "Remove 10.0.0.7". */
  title: ReactNode
  /** Describes the consequence. */
  description: ReactNode
  /** Label of the button: the action, not "OK". */
  confirmLabel: ReactNode
  pendingLabel?: ReactNode
  /** Where "Cancel" would be ambiguous. */
  dismissLabel?: ReactNode
  isPending?: boolean
  /** There is nothing to confirm anymore. */
  isDisabled?: boolean
  /** The action adds or restores rather than removes. */
  isHarmless?: boolean
  onConfirm: () => void
  /** What it asks for besides. */
  children?: ReactNode
}

/** Asks for confirmation of an action that is hard to undo. Unless it asks for something, Cancel has the initial focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, description, confirmLabel, pendingLabel, isPending = false, isHarmless = false } = props
  return (
    <Dialog
      open={open}
      // Closing it would look like canceling what is under way.
      isHeld={isPending}
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      actions={
        <>
          <Button data-start variant="secondary" onClick={() => onOpenChange(false)} disabled={isPending}>
            {props.dismissLabel ?? t('Cancel')}
          </Button>
          <Button
            variant={isHarmless ? 'primary' : 'danger'}
            needsServer
            onClick={props.onConfirm}
            disabled={props.isDisabled}
            isPending={isPending}
            pendingLabel={pendingLabel}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {props.children}
    </Dialog>
  )
}
