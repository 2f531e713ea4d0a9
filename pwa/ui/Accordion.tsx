import { Plus } from 'lucide-react'
import { Accordion as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export function Accordion({ items }: { items: readonly { title: string; content: ReactNode }[] }) {
  return (
    <Radix.Root type="multiple" className="divide-y divide-ink-5 border-y border-ink-5">
      {items.map(({ title, content }) => (
        <Radix.Item key={title} value={title}>
          <Radix.Header>
            <Radix.Trigger className="group flex min-h-14 w-full items-center justify-between gap-4 py-3 text-left text-16 font-strong text-ink-12 transition-colors hover:text-accent">
              {title}
              <Plus
                size={18}
                aria-hidden
                className="shrink-0 text-ink-9 transition-transform duration-200 group-data-[state=open]:rotate-45"
              />
            </Radix.Trigger>
          </Radix.Header>
          <Radix.Content className="animate-appear pb-5 text-ink-10">{content}</Radix.Content>
        </Radix.Item>
      ))}
    </Radix.Root>
  )
}
