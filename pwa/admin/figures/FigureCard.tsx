import type { ReactNode } from 'react'

interface FigureCardProps {
  title: string
  figure: ReactNode
  caption?: ReactNode
  /** An action: beside the title on desktop, below the figure on a phone. */
  action?: ReactNode
}

/** One figure of the panel. Four of them form a row on desktop and a 2 × 2 grid on a phone. */
export const FigureCard = ({ title, figure, caption, action }: FigureCardProps) => (
  <section className="grid grid-cols-[minmax(0,1fr)_auto] content-start gap-x-2 rounded-card border border-ink-5 bg-surface p-3.5 sm:p-4">
    <h2 className="flex min-h-7 items-center text-14 text-ink-10">{title}</h2>
    <p className="figures col-span-2 row-start-2 mt-1 text-20 font-strong sm:text-28">{figure}</p>
    {caption && <p className="figures col-span-2 row-start-3 mt-0.5 text-12 text-ink-9 sm:text-14">{caption}</p>}
    {action && (
      <div className="col-span-2 row-start-4 mt-3 grid sm:col-span-1 sm:col-start-2 sm:row-start-1 sm:mt-0">{action}</div>
    )}
  </section>
)
