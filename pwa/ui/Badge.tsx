import clsx from 'clsx'
import type { ReactNode } from 'react'

export type Tone = 'neutral' | 'accent' | 'waiting' | 'done' | 'refused'

const tones: Record<Tone, string> = {
  neutral: 'border-ink-5 bg-ink-2 text-ink-10',
  accent: 'border-accent-line bg-accent-soft text-accent',
  waiting: 'border-amber-line bg-amber-soft text-amber',
  done: 'border-green-line bg-green-soft text-green',
  refused: 'border-red-line bg-red-soft text-red',
}

/** A word in capitals beside a title: a unit or a kind. Use StatusWord for a state. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex h-6 shrink-0 items-center rounded-small border px-1.5 text-12 font-strong tracking-[0.04em]',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}
