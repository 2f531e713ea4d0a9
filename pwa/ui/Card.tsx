import clsx from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section {...rest} className={clsx('rounded-card border border-ink-5 bg-surface p-4 desk:p-6', className)} />
}

/** The title on the left, a badge or an action on the right. */
export function CardHeader({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="mb-4 flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
      <h2 className="text-16 font-strong text-ink-12">{title}</h2>
      {children && <div className="flex min-h-6 items-center">{children}</div>}
    </header>
  )
}
