import { type ComponentProps, Fragment } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import { ConfirmDialog } from '#pwa/ui/ConfirmDialog.tsx'
import { ApprovalNote } from './proposals/ApprovalNote.tsx'
import { useReason } from './useReason.tsx'

interface ChangeDialogProps
  extends Pick<ComponentProps<typeof ConfirmDialog>, 'confirmLabel' | 'pendingLabel' | 'isHarmless' | 'isPending'> {
  title: string
  /** The values as people read them. */
  before: string
  /** What the one before is called; by default it is in force now. */
  beforeLabel?: string
  after: string
  /** Both as amounts, if they are: a slip of the decimal point is pointed out. */
  amounts?: readonly [before: bigint | undefined, after: bigint | undefined]
  /** What changes, for whom and from when. */
  consequence: string
  /** What needs a second person from the second owner on asks for a reason. */
  needsReason?: boolean
  onConfirm: (reason?: string) => void
  onClose: () => void
}

/** Asks before a setting changes that concerns everybody: the present value, the new one, and the consequence. Rendered while it asks. */
export function ChangeDialog({
  before,
  beforeLabel = t('Now:'),
  after,
  amounts,
  consequence,
  isHarmless = true,
  isPending = false,
  needsReason = false,
  onConfirm,
  onClose,
  ...props
}: ChangeDialogProps) {
  const { field, take } = useReason({ about: props.title })
  // Another administrator may have set the same value meanwhile.
  const isSame = before === after && !isPending
  const jump = amounts && describeJump(...amounts)
  return (
    <ConfirmDialog
      {...props}
      open
      onOpenChange={onClose}
      isHarmless={isHarmless}
      isPending={isPending}
      isDisabled={isSame}
      pendingLabel={props.pendingLabel ?? t('Saving...')}
      onConfirm={() => {
        if (!needsReason) return onConfirm()
        const taken = take()
        if (taken) onConfirm(taken.reason)
      }}
      // All of it is the description, so that a screen reader reads it on opening.
      description={
        <>
          <Values before={before} beforeLabel={beforeLabel} after={after} />{' '}
          {jump && <span className="mb-3 block font-strong text-amber">{jump}</span>}{' '}
          <span className="block">{isSame ? t('This is already the value. Nothing changes.') : consequence}</span>
          {needsReason && !isSame && <ApprovalNote />}
        </>
      }
    >
      {needsReason && field}
    </ConfirmDialog>
  )
}

/** From this factor on a change is unusual enough to be a mistake. */
const JUMP = 5n

function describeJump(before = 0n, after = 0n): string | undefined {
  if (before === 0n || after === 0n) return undefined
  const [rise, fall] = [after / before, before / after]
  if (rise >= JUMP) return t('That is {factor} times the present value.', { factor: formatCount(Number(rise)) })
  return fall >= JUMP ? t('The present value is {factor} times that.', { factor: formatCount(Number(fall)) }) : undefined
}

const Values = ({ before, beforeLabel, after }: Required<Pick<ChangeDialogProps, 'before' | 'beforeLabel' | 'after'>>) => {
  const values = [
    [beforeLabel, before],
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
