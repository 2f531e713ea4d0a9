import clsx from 'clsx'
import type { ReactNode } from 'react'
import { Badge, type Tone } from './Badge.tsx'

interface StatProps {
  title: string
  badge?: string
  badgeTone?: Tone
  figure: ReactNode
  caption?: ReactNode
  /** A button or a link. */
  action?: ReactNode
}

/** One named figure: a row on a phone, a card on desktop. With enlarged text the row's parts are below each other. */
export function Stat({ title, badge, badgeTone = 'neutral', figure, caption, action }: StatProps) {
  return (
    <div className="@container grid">
      <section
        className={clsx(
          'grid grid-cols-[minmax(42%,1fr)_auto] items-center gap-x-4 rounded-card border border-ink-5 bg-surface px-4 py-3.5 @max-[15rem]:grid-cols-1 desk:grid-cols-1 desk:content-start desk:p-6',
          action && 'lg:@min-[15rem]:grid-cols-[minmax(0,1fr)_auto]!',
        )}
      >
        <div
          className={clsx(
            'flex min-h-6 items-center gap-2 @max-[15rem]:flex-wrap desk:justify-between',
            action && 'lg:@min-[15rem]:col-span-2',
          )}
        >
          <h2 className="text-14 text-ink-10">{title}</h2>
          {badge && <Badge tone={badgeTone}>{badge}</Badge>}
        </div>
        <p className="figures col-start-2 row-span-2 row-start-1 text-right text-28 font-strong @max-[15rem]:col-start-1 @max-[15rem]:row-span-1 @max-[15rem]:row-start-2 @max-[15rem]:text-left desk:col-start-1 desk:row-span-1 desk:row-start-2 desk:mt-3 desk:text-left">
          {figure}
        </p>
        {caption && (
          <div className="col-start-1 row-start-2 mt-0.5 text-14 text-ink-9 @max-[15rem]:row-start-3 desk:row-start-3 desk:mt-1">
            {caption}
          </div>
        )}
        {action && (
          <div className="col-span-2 row-start-3 mt-3 grid @max-[15rem]:col-span-1 @max-[15rem]:row-start-4 desk:col-span-1 desk:row-start-4 desk:mt-4 desk:justify-start lg:@min-[15rem]:col-span-1! lg:@min-[15rem]:col-start-2! lg:@min-[15rem]:row-span-2! lg:@min-[15rem]:row-start-2! lg:@min-[15rem]:mt-0! lg:@min-[15rem]:self-end">
            {action}
          </div>
        )}
      </section>
    </div>
  )
}
