import type { ReactNode } from 'react'
import { Badge, type Tone } from '#pwa/ui/Badge.tsx'

interface StatProps {
  title: string
  badge?: string
  badgeTone?: Tone
  figure: ReactNode
  caption?: ReactNode
}

/** One figure with its name. */
export function Stat({ title, badge, badgeTone = 'neutral', figure, caption }: StatProps) {
  return (
    <section className="rounded-card border border-ink-5 bg-surface p-4 desk:p-6">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h2 className="text-14 text-ink-10">{title}</h2>
        {badge && <Badge tone={badgeTone}>{badge}</Badge>}
      </div>
      <p className="figures mt-3 text-28 font-strong">{figure}</p>
      {caption && <p className="mt-1 text-14 text-ink-9">{caption}</p>}
    </section>
  )
}
