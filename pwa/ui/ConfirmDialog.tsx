import type { ReactNode } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'

interface ConfirmDialogProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Names the thing it is about: "Remove 10.0.0.7". */
  title: ReactNode
  /** What happens then. */
  description: ReactNode
  /** What the button says: the deed, not "OK". */
  confirmLabel: ReactNode
  pendingLabel?: ReactNode
  isPending?: boolean
  /** It brings back or gives rather than takes away. */
  isHarmless?: boolean
  onConfirm: () => void
}

/** Asks before something that cannot be taken back easily. The focus is on the way out. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, onOpenChange, title, description, confirmLabel, pendingLabel, isPending = false, isHarmless = false } = props
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={description}
      actions={
        <>
          <Button variant="secondary" onClick={() => onOpenChange(false)} disabled={isPending}>
            {t('Cancel')}
          </Button>
          <Button
            variant={isHarmless ? 'primary' : 'danger'}
            needsServer
            onClick={props.onConfirm}
            isPending={isPending}
            pendingLabel={pendingLabel}
          >
            {confirmLabel}
          </Button>
        </>
      }
    />
  )
}
