import { Tooltip as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { create } from 'zustand'

/** How long a pointer rests before a tooltip shows, and how soon after one the next shows at once. */
const DELAY = 700
const SKIP_DELAY = 300

/** Whether a tooltip was shown a moment ago, anywhere in the page. */
const useRecent = create<{ isRecent: boolean }>()(() => ({ isRecent: false }))
let timer: ReturnType<typeof setTimeout> | undefined

function noteOpen(isOpen: boolean): void {
  clearTimeout(timer)
  if (isOpen) useRecent.setState({ isRecent: true })
  else timer = setTimeout(() => useRecent.setState({ isRecent: false }), SKIP_DELAY)
}

/** Says more about a control on hover, focus and tap. For a disabled control wrap it in a span with a tabIndex. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  const isRecent = useRecent((recent) => recent.isRecent)
  const [isOpen, setOpen] = useState(false)
  const open = (next: boolean) => {
    setOpen(next)
    noteOpen(next)
  }
  return (
    <Radix.Provider delayDuration={isRecent ? 0 : DELAY} skipDelayDuration={SKIP_DELAY}>
      <Radix.Root open={isOpen} onOpenChange={open}>
        <Radix.Trigger
          asChild
          onClick={(event) => {
            // By itself a press closes it: then a finger, which cannot hover, would never see it.
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
