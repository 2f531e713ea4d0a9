import { type ComponentProps, Fragment } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'

interface ChangeDialogProps
  extends Pick<
    ComponentProps<typeof ConfirmDialog>,
    'title' | 'confirmLabel' | 'pendingLabel' | 'isHarmless' | 'isPending' | 'onConfirm'
  > {
  /** The values as people read them. */
  before: string
  after: string
  /** What changes, for whom and from when. */
  consequence: string
  onClose: () => void
}

/** Asks before a setting changes that concerns everybody: the present value, the new one, and the consequence. Rendered while it asks. */
export function ChangeDialog({
  before,
  after,
  consequence,
  isHarmless = true,
  isPending = false,
  onClose,
  ...props
}: ChangeDialogProps) {
  // Another administrator may have set the same value meanwhile.
  const isSame = before === after && !isPending
  return (
    <ConfirmDialog
      {...props}
      open
      onOpenChange={onClose}
      isHarmless={isHarmless}
      isPending={isPending}
      isDisabled={isSame}
      pendingLabel={props.pendingLabel ?? t('Saving...')}
      // All of it is the description, so that a screen reader reads it on opening.
      description={
        <>
          <Values before={before} after={after} />{' '}
          <span className="block">{isSame ? t('This is already the value. Nothing changes.') : consequence}</span>
        </>
      }
    />
  )
}

const Values = ({ before, after }: Pick<ChangeDialogProps, 'before' | 'after'>) => {
  const values = [
    [t('Now:'), before],
    [t('New:'), after],
  ] as const
  return (
    <span className="mt-2 mb-3 grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1.5 rounded-input border border-ink-5 px-3.5 py-2.5">
      {values.map(([name, value]) => (
        <Fragment key={name}>
          <span className="text-ink-9">{name}</span>{' '}
          <span className="figures text-16 font-strong text-ink-12 wrap-anywhere">{value}</span>{' '}
        </Fragment>
      ))}
    </span>
  )
}
