import { Plus } from '#pwa/ui/icons.ts'
import type { ReactNode } from 'react'

/** Titles that expand their content, also before hydration. Any number may be open. */
export const Accordion = ({ items }: { items: readonly { title: string; content: ReactNode }[] }) => (
  <div className="divide-y divide-ink-5 border-y border-ink-5">
    {items.map(({ title, content }, index) => (
      // Not by its title: in another language an open answer would close.
      <details key={index} className="group">
        <summary className="flex min-h-14 cursor-pointer list-none items-center justify-between gap-4 py-3 text-16 font-strong text-ink-12 transition-colors hover:text-accent [&::-webkit-details-marker]:hidden">
          <h3>{title}</h3>
          <Plus size={18} aria-hidden className="shrink-0 text-ink-9 transition-transform duration-200 group-open:rotate-45" />
        </summary>
        <div className="animate-appear pb-5 text-ink-10">{content}</div>
      </details>
    ))}
  </div>
)
