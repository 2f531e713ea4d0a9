import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Says more about a control on hover and focus, after the delays of section 9. For a disabled control wrap it in a span with a tabIndex. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
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
