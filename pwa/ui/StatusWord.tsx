import clsx from 'clsx'
import type { ReactNode } from 'react'
import type { Tone } from './Badge.tsx'

const inks: Record<Tone, string> = {
  neutral: 'text-ink-10',
  accent: 'text-accent',
  waiting: 'text-amber',
  done: 'text-green',
  refused: 'text-red',
}

/** Each state has its own shape, so it does not depend on color. */
const shapes: Record<Tone, ReactNode> = {
  neutral: <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" />,
  accent: <circle cx="7" cy="7" r="5" fill="currentColor" />,
  waiting: (
    <>
      <circle cx="7" cy="7" r="5" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="M7 2a5 5 0 0 1 0 10Z" fill="currentColor" />
    </>
  ),
  done: (
    <path d="m2.5 7.5 3 3 6-7" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" strokeLinejoin="round" />
  ),
  refused: <path d="m3.5 3.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />,
}

/** A state as a word with its shape. */
export function StatusWord({ tone, children, title }: { tone: Tone; children: ReactNode; title?: string }) {
  return (
    <span title={title} className={clsx('inline-flex items-center gap-1.5 text-14 font-strong whitespace-nowrap', inks[tone])}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden className="shrink-0">
        {shapes[tone]}
      </svg>
      {children}
    </span>
  )
}
