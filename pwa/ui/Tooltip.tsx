import { Tooltip as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { create } from 'zustand'

/** Hover time before a tooltip opens, and the time after one in which the next opens immediately. */
const OPEN_DELAY = 700
const SKIP_DELAY = 300

/** Whether any tooltip of the page was open a moment ago. */
const useRecent = create<{ isRecent: boolean }>()(() => ({ isRecent: false }))
let timer: ReturnType<typeof setTimeout> | undefined

function recordOpen(isOpen: boolean): void {
  clearTimeout(timer)
  if (isOpen) useRecent.setState({ isRecent: true })
  else timer = setTimeout(() => useRecent.setState({ isRecent: false }), SKIP_DELAY)
}

/** An explanation of a control on hover, focus and tap. Wrap a disabled control in a span with a tabIndex. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const isRecent = useRecent((recent) => recent.isRecent)
  const [isOpen, setOpen] = useState(false)
  const open = (next: boolean) => {
    setOpen(next)
    recordOpen(next)
  }
  return (
    <Radix.Provider delayDuration={isRecent ? 0 : OPEN_DELAY} skipDelayDuration={SKIP_DELAY}>
      <Radix.Root open={isOpen} onOpenChange={open}>
        <Radix.Trigger
          asChild
          onClick={(event) => {
            // Radix closes the tooltip on press, so a finger, which cannot hover, would never see it.
            event.preventDefault()
            open(true)
          }}
        >
          {children}
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={12}
            className="z-50 max-w-[280px] animate-appear rounded-small bg-ink-12 px-2.5 py-1.5 text-12 text-ink-1 shadow-float"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
