import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'

interface TabsProps<Value extends string> {
  label: string
  /** Null: none, because another view is open. */
  value: Value | null
  onValueChange: (value: Value) => void
  tabs: readonly { value: Value; label: ReactNode; content: ReactNode }[]
}

/** The row scrolls where the tabs do not fit. */
export function Tabs<Value extends string>({ label, value, onValueChange, tabs }: TabsProps<Value>) {
  const row = useRef<HTMLDivElement>(null)
  const opening = useRef<string>(null)
  /** Radix calls this twice for a press, for its focus too: the address would be two steps back. */
  function open(next: string) {
    if (opening.current === next) return
    opening.current = next
    queueMicrotask(() => {
      opening.current = null
    })
    onValueChange(next as Value)
  }
  useEffect(() => {
    if (row.current) showOpen(row.current)
  }, [value])
  useEffect(() => {
    const observed = row.current
    if (!observed) return
    const observer = new ResizeObserver(() => {
      showOpen(observed)
      markHidden(observed)
    })
    // The list grows when a badge arrives, which may push the open tab out of view.
    for (const element of [observed, observed.firstElementChild]) if (element) observer.observe(element)
    markHidden(observed)
    return () => observer.disconnect()
  }, [])

  return (
    <Radix.Root
      value={value ?? ''}
      // Focus alone opens a tab otherwise, so that the keyboard would never get past them to the other view.
      activationMode={value === null ? 'manual' : 'automatic'}
      onValueChange={open}
    >
      <div
        ref={row}
        onScroll={({ currentTarget }) => markHidden(currentTarget)}
        className="flex gap-6 data-[hidden-at~=left]:mask-l-from-[calc(100%-3rem)] data-[hidden-at~=right]:mask-r-from-[calc(100%-3rem)] overflow-x-auto shadow-[inset_0_-1px_0_var(--ink-5)] [scrollbar-width:none]"
      >
        <Radix.List aria-label={label} className="flex shrink-0 gap-6">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="relative min-h-11 shrink-0 border-b-2 border-transparent text-14 font-strong text-ink-9 transition-colors hover:text-ink-12 after:absolute after:-inset-x-2 after:inset-y-0 focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink-12"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="pt-6 outline-none" tabIndex={-1}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

/** Pixels at an end where tabs are hidden that fade (3rem above), and show part of the next tab. */
const FADE = 48

/** Scrolls the row, not the page, until the open tab is out of the fade. At its ends the row does not scroll further, nor fade. */
function showOpen(row: HTMLElement): void {
  const open = row.querySelector('[data-state="active"], [aria-current]')?.getBoundingClientRect()
  const frame = row.getBoundingClientRect()
  // Without a width it is not laid out.
  if (!open || frame.width === 0) return
  if (open.right + FADE > frame.right) row.scrollLeft += open.right + FADE - frame.right
  else if (open.left - FADE < frame.left) row.scrollLeft -= frame.left + FADE - open.left
}

/** Says at which ends tabs are hidden, where the row fades: it may be cut between two of them, and look complete. */
function markHidden(row: HTMLElement): void {
  const { scrollLeft, clientWidth, scrollWidth } = row
  const ends = [scrollLeft > 1 && 'left', scrollLeft + clientWidth < scrollWidth - 1 && 'right']
  row.dataset.hiddenAt = ends.filter(Boolean).join(' ')
}
