import { ChevronLeft, ChevronRight } from '#pwa/ui/icons.ts'
import { type KeyboardEvent, type ReactNode, Suspense, useState } from 'react'
import { t } from '#pwa/i18n/t.ts'
import { useIsHydrated } from '#pwa/lib/useIsHydrated.ts'
import { WINDOW_SIZE } from '#pwa/ui/fieldWindow.ts'
import { NodeField } from '#pwa/ui/NodeField.tsx'
import { lazyPart } from '#pwa/ui/lazyPart.tsx'
import { FieldLegend, type FieldMark } from './FieldLegend.tsx'

// Lazy-loaded with the first picked node.
const NodeFacts = lazyPart(async () => (await import('./NodeFacts.tsx')).NodeFacts)

interface PickableFieldProps {
  total: number
  sold: number
  mine?: readonly number[]
  bonus?: readonly number[]
  /** First number of the window that shows `picked`. */
  firstFor: (picked: number | undefined) => number
  /** The numbers that the buttons step through, in order. */
  steps: readonly number[]
  /** The first number of the buttons. */
  start: number
  hint: string
  entries: readonly { mark: FieldMark; label: string }[]
}

/** A window of the field in which a node can be selected by a tap or with the buttons below. */
export function PickableField({ total, sold, mine = [], bonus = [], firstFor, steps, start, hint, entries }: PickableFieldProps) {
  const [picked, setPicked] = useState<number>()
  const isHydrated = useIsHydrated()
  const first = firstFor(picked)
  const before = picked === undefined ? start : steps.findLast((number) => number < picked)
  const after = picked === undefined ? start : steps.find((number) => number > picked)

  function stepByKey(event: KeyboardEvent) {
    const target = { ArrowLeft: before, ArrowRight: after, Home: steps[0], End: steps.at(-1) }[event.key]
    if (target === undefined) return
    event.preventDefault()
    setPicked(target)
  }

  return (
    <>
      <NodeField
        total={total}
        sold={sold}
        mine={mine}
        bonus={bonus}
        first={first}
        onPick={setPicked}
        {...(picked !== undefined && { picked })}
      />
      <div className="mt-3 flex flex-col gap-2 desk:flex-row desk:items-center desk:justify-between">
        <FieldLegend entries={entries} first={first} last={Math.min(first + WINDOW_SIZE - 1, total)} />
        {/* Rendered after hydration, because the buttons need a script. */}
        <div className="min-h-11 desk:w-[440px]">
          {isHydrated && steps.length > 0 && (
            <div role="group" aria-label={t('Browse the nodes')} className="flex items-center">
              <StepButton label={t('Previous node')} target={before} onStep={setPicked} onKeyDown={stepByKey}>
                <ChevronLeft size={20} aria-hidden />
              </StepButton>
              <p role="status" className="figures flex-1 px-2 text-center text-14 text-ink-10">
                {picked === undefined ? (
                  hint
                ) : (
                  <Suspense fallback={t('Node {number}', { number: picked })}>
                    <NodeFacts
                      // A remount refetches stale data.
                      key={picked}
                      number={picked}
                      isSold={picked <= sold || mine.includes(picked)}
                      isMine={mine.includes(picked)}
                    />
                  </Suspense>
                )}
              </p>
              <StepButton label={t('Next node')} target={after} onStep={setPicked} onKeyDown={stepByKey}>
                <ChevronRight size={20} aria-hidden />
              </StepButton>
            </div>
          )}
        </div>
      </div>
    </>
  )
}

interface StepButtonProps {
  label: string
  target: number | undefined
  onStep: (number: number) => void
  onKeyDown: (event: KeyboardEvent) => void
  children: ReactNode
}

/** Uses aria-disabled at the last node: a disabled button would lose the focus. */
const StepButton = ({ label, target, onStep, onKeyDown, children }: StepButtonProps) => (
  <button
    type="button"
    aria-label={label}
    aria-disabled={target === undefined}
    onKeyDown={onKeyDown}
    onClick={() => target !== undefined && onStep(target)}
    className="grid size-11 shrink-0 place-items-center rounded-full border border-ink-5 text-ink-10 transition-colors hover:text-ink-12 aria-disabled:opacity-40"
  >
    {children}
  </button>
)
